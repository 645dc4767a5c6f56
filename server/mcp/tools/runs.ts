import { actions, answers, anything, reads, text, type Tool, whole, writes } from './tool.ts';

const target = text('start: workflow:NAME or relay:NAME; required. list: only of it.');
const runId = text('status: the run_id that start answered; required.');
const after = text('list: the next_cursor of the page before; absent is the start.');
const waitSeconds = whole(0, 25, 'start, status: seconds to wait for the outcome; 0 when absent.');

const outputSchema = answers({
  run_id: text('start, status: the run.'),
  state: text('status: accepted, running, waiting_input, succeeded, failed, cancelled, interrupted or expired.'),
  runs: { type: 'array', items: { type: 'object' }, description: 'list: the runs, newest first.' },
  next_cursor: text('list: absent on the last page.'),
});

/** Durable runs of workflows and relays (WFL, RLY). */
export const runs: Tool = {
  name: 'runs',
  title: 'Runs of workflows and relays',
  description:
    'Durable runs. start begins one (target, input) and answers a run_id at once; the same idempotency_key gives the same run. status tells how it stands, with wait_seconds to poll. list shows earlier runs. For polling only, use runs_read.',
  inputSchema: actions(['start', 'status', 'list'], {
    target,
    function: text('start: which function of a relay; absent is its only one.'),
    input: anything('start: the arguments.'),
    idempotency_key: text('start: the same key gives the same run; any text of your own.'),
    version: text('start: a published release; absent is the active one.'),
    run_id: runId,
    after,
    wait_seconds: waitSeconds,
  }),
  outputSchema,
  annotations: { title: 'Runs of workflows and relays', ...writes, openWorldHint: true },
};

export const runsRead: Tool = {
  name: 'runs_read',
  title: 'Look at runs',
  description:
    'The reading half of the tool runs, changing nothing: status of a run with wait_seconds to poll, list of runs.',
  inputSchema: actions(['status', 'list'], { target, run_id: runId, after, wait_seconds: waitSeconds }),
  outputSchema,
  annotations: { title: 'Look at runs', ...reads },
};
