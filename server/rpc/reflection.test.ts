import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, createClient, createRouterTransport } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { ServerReflection, type ServerReflectionRequest } from '#gen/grpc/reflection/v1/reflection_pb.ts';
import { reflectionRoutes } from './reflection.ts';

const client = createClient(ServerReflection, createRouterTransport(reflectionRoutes));

type Question = Exclude<ServerReflectionRequest['messageRequest'], { case: undefined }>;

async function ask(...questions: Question[]) {
  const answers = [];
  async function* asked() {
    for (const messageRequest of questions) yield { messageRequest };
  }
  for await (const { messageResponse } of client.serverReflectionInfo(asked())) answers.push(messageResponse);
  return answers;
}

async function files(question: Question): Promise<string[]> {
  const [answer] = await ask(question);
  if (answer?.case !== 'fileDescriptorResponse') throw new Error(`answered ${answer?.case}`);
  return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
}

test('every service is listed', async () => {
  const [answer] = await ask({ case: 'listServices', value: '*' });
  expect(answer?.value).toMatchObject({
    service: [
      { name: 'agentworks.messages.v1.MessageService' },
      { name: 'agentworks.agents.v1.AgentService' },
      { name: 'agentworks.agents.v1.AttachmentService' },
      { name: 'agentworks.bridge.v1.BridgeService' },
      { name: 'agentworks.access.v1.AccessService' },
      { name: 'grpc.health.v1.Health' },
      { name: 'grpc.reflection.v1.ServerReflection' },
    ],
  });
});

test.each([
  'agentworks.messages.v1.MessageService',
  'agentworks.messages.v1.MessageService.Send',
  'agentworks.messages.v1.SendRequest',
  'agentworks.messages.v1.SendRequest.body',
  'agentworks.messages.v1.Wake',
])('%s is found in its file, after all that the file needs', async (value) => {
  const named = await files({ case: 'fileContainingSymbol', value });
  expect(named.at(-1)).toBe('agentworks/messages/v1/messages.proto');
  expect(new Set(named).size).toBe(named.length);
  expect(named).toContain('google/protobuf/timestamp.proto');
});

test('a file is found by its name, an imported one too', async () => {
  expect(await files({ case: 'fileByFilename', value: 'google/protobuf/struct.proto' })).toEqual([
    'google/protobuf/struct.proto',
  ]);
});

test('what is not there is said in the stream, which goes on', async () => {
  const answers = await ask(
    { case: 'fileContainingSymbol', value: 'agentworks.Nothing' },
    { case: 'fileByFilename', value: 'nothing.proto' },
    { case: 'allExtensionNumbersOfType', value: 'agentworks.messages.v1.SendRequest' },
    { case: 'listServices', value: '' },
  );
  expect(answers.map((answer) => answer.case)).toEqual([
    'errorResponse',
    'errorResponse',
    'allExtensionNumbersResponse',
    'listServicesResponse',
  ]);
  expect(answers[0]?.value).toMatchObject({ errorCode: Code.NotFound });
});
