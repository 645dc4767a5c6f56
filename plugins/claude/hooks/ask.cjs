// Asks the bridge what a hook is to say, where there is no curl. No library and no TypeScript: a hook is waited for.
var net = require('net');

/** Nobody waits longer for a hook than its host does. */
var WAIT_MS = 8000;

/** What the host says; `use` gets it once it is whole, also from a host that never closes the pipe. */
function readPayload(stream, use) {
  var text = '';
  var isDone = false;
  function done() {
    if (isDone) return;
    isDone = true;
    stream.pause();
    use(text);
  }
  stream.setEncoding('utf8');
  stream.on('data', function (chunk) {
    text += chunk;
    if (isWhole(text)) done();
  });
  stream.on('end', done);
  stream.on('error', done);
}

function isWhole(text) {
  if (!/\}\s*$/.test(text.slice(-64))) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** One question over the bridge's socket; `use` gets the failure or the answer. HTTP/1.0, so that nothing comes in chunks. */
function ask(question, use) {
  var body = Buffer.from(question.body);
  var answer = [];
  var isDone = false;
  var socket = net.connect(question.socket);
  function done(error, text) {
    if (isDone) return;
    isDone = true;
    socket.destroy();
    use(error, text);
  }
  socket.setTimeout(question.waitMs || WAIT_MS, function () {
    done(new Error('the bridge did not answer in time'));
  });
  socket.on('error', done);
  socket.on('data', function (chunk) {
    answer.push(chunk);
  });
  socket.on('close', function () {
    var text = Buffer.concat(answer).toString();
    var at = text.indexOf('\r\n\r\n');
    if (/^HTTP\/1\.[01] 200 /.test(text) && at > 0) done(undefined, text.slice(at + 4));
    else done(new Error('the bridge did not understand the question'));
  });
  socket.write(
    'POST ' +
      question.path +
      ' HTTP/1.0\r\nhost: localhost\r\ncontent-length: ' +
      body.length +
      '\r\nx-host-pid: ' +
      question.hostPid +
      '\r\nx-session-id: ' +
      question.sessionId +
      '\r\n\r\n',
  );
  socket.write(body);
}

module.exports = { ask: ask, readPayload: readPayload };

if (require.main === module) {
  setTimeout(function () {
    process.exit(0);
  }, WAIT_MS);
  readPayload(process.stdin, function (body) {
    var given = process.argv;
    var question = { socket: given[2], path: given[3], hostPid: given[4], sessionId: given[5], body: body };
    ask(question, function (error, text) {
      if (error || !text) process.exit(0);
      process.stdout.write(text, function () {
        process.exit(0);
      });
    });
  });
}
