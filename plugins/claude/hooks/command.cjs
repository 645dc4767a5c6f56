// Answers `/agentworks …` as the person typed it. Starts the bridge when none runs. Always blocks the prompt: nothing of it
// may reach the model, whatever happens.
var childProcess = require('child_process');
var fs = require('fs');
var bridge = require('./ask.cjs');

var record = process.argv[2];
var program = process.argv[3];
var hostPid = process.argv[4];
var sessionId = process.argv[5];

/** The host gives up after 10 s. */
var ASK_MS = 5000;
var START_MS = 6000;
var ALL_MS = 9000;

setTimeout(function () {
  refuse('the bridge did not answer in time. See: agentworks bridge status');
}, ALL_MS);

bridge.readPayload(process.stdin, function (body) {
  asked(body, function (error) {
    if (!isAway(error)) return refuse(error.message);
    start(function (reason) {
      if (reason) return refuse('the bridge did not start. ' + reason);
      asked(body, function (second) {
        refuse(second.message);
      });
    });
  });
});

function asked(body, onFailure) {
  var socket = socketOf();
  if (socket === undefined) return onFailure(Object.assign(new Error('no bridge runs'), { code: 'ENOENT' }));
  var question = {
    socket: socket,
    path: '/hooks/claude/UserPromptExpansion',
    hostPid: hostPid,
    sessionId: sessionId,
    body: body,
    waitMs: ASK_MS,
  };
  bridge.ask(question, function (error, text) {
    if (error) return onFailure(error);
    if (text) say(text);
    else refuse('the bridge does not know this command. Type: /agentworks attach NAME');
  });
}

function isAway(error) {
  return error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
}

function socketOf() {
  try {
    return JSON.parse(fs.readFileSync(record, 'utf8')).socket;
  } catch {
    return undefined;
  }
}

function start(use) {
  childProcess.execFile(
    '/bin/sh',
    [program, 'bridge', 'start'],
    { timeout: START_MS },
    function (error, _said, complaint) {
      use(
        error
          ? complaint
              .trim()
              .split('\n')[0]
              .replace(/^agentworks: /, '') || 'See: agentworks bridge logs'
          : '',
      );
    },
  );
}

function refuse(reason) {
  var output = { hookEventName: 'UserPromptExpansion', suppressOriginalPrompt: true };
  say(JSON.stringify({ decision: 'block', reason: 'AgentWorks: ' + reason, hookSpecificOutput: output }));
}

function say(text) {
  process.stdout.write(text, function () {
    process.exit(0);
  });
}
