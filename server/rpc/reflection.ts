import { type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from '#gen/grpc/reflection/v1/reflection_pb.ts';
import { closure, files, registry, services } from './services.ts';

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']>;

/** The standard reflection protocol, so that buf curl and grpcurl need no schema. */
export const reflectionRoutes = (router: ConnectRouter) => {
  router.service(ServerReflection, {
    async *serverReflectionInfo(requests) {
      for await (const request of requests)
        yield { validHost: request.host, originalRequest: request, messageResponse: answer(request.messageRequest) };
    },
  });
};

function answer(asked: ServerReflectionRequest['messageRequest']): Answer {
  switch (asked.case) {
    case 'listServices':
      return { case: 'listServicesResponse', value: { service: services.map(({ typeName }) => ({ name: typeName })) } };
    case 'fileByFilename':
      return describe(files.get(asked.value), asked.value);
    case 'fileContainingSymbol':
      return describe(find(asked.value), asked.value);
    case 'allExtensionNumbersOfType':
      return registry.getMessage(asked.value) === undefined
        ? refusal(Code.NotFound, `there is no message ${asked.value}`)
        : { case: 'allExtensionNumbersResponse', value: { baseTypeName: asked.value, extensionNumber: [] } };
    case 'fileContainingExtension':
      return refusal(Code.NotFound, 'there are no extensions here');
    default:
      return refusal(Code.InvalidArgument, 'the request asks nothing');
  }
}

/** A service, message or enum, or a part of one: a method, a field, a value. */
const find = (symbol: string) => (registry.get(symbol) ?? registry.get(symbol.slice(0, symbol.lastIndexOf('.'))))?.file;

function describe(file: Parameters<typeof closure>[0] | undefined, asked: string): Answer {
  if (file === undefined) return refusal(Code.NotFound, `nothing here is called ${asked.slice(0, 200)}`);
  const fileDescriptorProto = closure(file).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } };
}

const refusal = (errorCode: number, errorMessage: string): Answer => ({
  case: 'errorResponse',
  value: { errorCode, errorMessage },
});
