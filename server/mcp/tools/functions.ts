import { actions, answers, anything, reads, text, type Tool, whole, writes } from './tool.ts';

const target = text('list, call: who offers the function, such as crew:NAME; list: absent is everyone.');
const callId = text('status, read, reply, cancel: the call_id that call answered; required.');
const after = text('list, read: the next_cursor of the page before; absent is the start.');
const waitSeconds = whole(0, 25, 'call, status: seconds to wait for the outcome; 0 when absent.');
const path = text('read: a file of the call, as status lists it.');

const outputSchema = answers({
  call_id: text('call, status: the call.'),
  state: text('status: accepted, running, waiting_input, succeeded, failed, cancelled, interrupted or expired.'),
  functions: { type: 'array', items: { type: 'object' }, description: 'list: the functions.' },
  pending_inputs: { type: 'array', items: { type: 'object' }, description: 'status: questions that wait for a reply.' },
  next_cursor: text('list, read: absent on the last page.'),
});

/** Typed work with a tracked outcome (FUN). */
export const functions: Tool = {
  name: 'functions',
  title: 'Functions of Crews and workflows',
  description:
    'Typed work with a tracked outcome. list shows functions and their inputs. call starts one (target, function, input) and answers a call_id at once; it goes on when you stop looking. status tells how it stands, with wait_seconds to poll, and which questions wait (pending_inputs). reply answers such a question by its request_id. read returns a file of the call in pages. cancel asks for an end. Only a terminal state is an outcome: progress and silence are none. For polling only, use functions_read.',
  inputSchema: actions(['list', 'call', 'status', 'read', 'reply', 'cancel'], {
    target,
    function: text('call: the name of the function; required.'),
    input: anything('call: the arguments, as list shows them.'),
    submission_id: text('call: makes a repeat of this very call safe; any text of your own.'),
    call_id: callId,
    request_id: text('reply: which question is answered; required.'),
    answer: anything('reply: the answer, as the question asks for it.'),
    path,
    after,
    wait_seconds: waitSeconds,
  }),
  outputSchema,
  annotations: { title: 'Functions of Crews and workflows', ...writes, openWorldHint: true },
};

export const functionsRead: Tool = {
  name: 'functions_read',
  title: 'Look at functions and calls',
  description:
    'The reading half of the tool functions, changing nothing: list functions, status of a call with wait_seconds to poll, read a file of a call.',
  inputSchema: actions(['list', 'status', 'read'], {
    target,
    call_id: callId,
    path,
    after,
    wait_seconds: waitSeconds,
  }),
  outputSchema,
  annotations: { title: 'Look at functions and calls', ...reads },
};
