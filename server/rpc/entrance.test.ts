import { expect, test } from 'vitest';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { Endings } from '../core/endings.ts';
import { entering } from './entrance.ts';

let asked = 0;
let letGo = 0;
const enter = entering({
  enter: (secret) => {
    asked++;
    if (secret !== 'known') return Promise.resolve(undefined);
    const right = new Endings().hold('con_1');
    right[Symbol.dispose] = () => void letGo++;
    const caller = { kind: 'person', accountId: 'acc_1', connectionId: 'con_1', targets: null } as const;
    return Promise.resolve({ caller, right });
  },
});

const { send } = MessageService.method;

test.each([undefined, '', 'Basic known', 'Bearer unknown'])(
  '%o may not enter where the table refuses nobody',
  (header) => expect(enter(send, header)).rejects.toThrow('not signed in'),
);

test('where nobody may call, nobody enters as nobody', async () => {
  expect((await enter(AccessService.method.login, undefined)).take()).toBeUndefined();
  expect((await enter(AccessService.method.login, 'Bearer unknown')).take()).toBeUndefined();
});

test('health asks for nobody', async () => {
  asked = 0;
  expect((await enter(Health.method.check, 'Bearer known')).take()).toBeUndefined();
  expect(asked).toBe(0);
});

test('a right is let go of once: by whoever took it, else when the call is over', async () => {
  letGo = 0;
  {
    using entrance = await enter(send, 'Bearer known');
    const entry = entrance.take();
    expect(entry?.caller.kind).toBe('person');
    expect(entrance.take()).toBeUndefined();
    entry?.right[Symbol.dispose]();
  }
  expect(letGo).toBe(1);
  {
    using untaken = await enter(send, 'Bearer known');
    expect(untaken).toBeDefined();
  }
  expect(letGo).toBe(2);
});
