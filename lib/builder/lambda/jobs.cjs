// The handler of the function beside an application on AWS Lambda, in its release beside run.sh: it runs one command, of
// `hooks run` or of cron. It stores what the command says at a presigned address, a JSON object per line (`RunPiece`,
// `RunExit`), and every five seconds that it still runs. From another address it takes signals.

const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { createInterface } = require('node:readline');
const { setTimeout: pause } = require('node:timers/promises');

const MOST_MB = 5;
/** Of what a run of cron has printed last, for the entry that tells of its failure. */
const LAST_LINES = 20;
const LONGEST_LINE = 300;
const EACH_MS = 1_000;
const SIGN_MS = 5_000;
const GRACE_MS = 5_000;
/** What a command has written before its end is read for this time. */
const LAST_OUTPUT_MS = 1_000;
/** The end of the command, and what is told of it, come before Lambda ends this program. */
const LEFT_MS = 15_000;
const REQUEST_MS = 5_000;
const TRIES = 4;
/** As of a shell. */
const NOT_RUN = 126;
const SIGNAL_BASE = 128;

exports.handler = async ({ name, command, output, control, isLogged }, context) => {
  const began = new Date();
  const report = reportTo(output, began.toISOString());
  const lines = [];
  const log = (stream, line) => {
    process.stdout.write(`${name}\t${stream}\t${line}\n`);
    if (stream !== 'platform') lines.push(line.slice(0, LONGEST_LINE));
    if (lines.length > LAST_LINES) lines.shift();
  };
  if (isLogged) log('platform', `runs ${command.join(' ')}`);
  const run = start(command);
  for (const stream of ['stdout', 'stderr']) {
    const source = run.child[stream];
    if (isLogged) createInterface(source).on('line', (line) => log(stream, line));
    else source.on('data', (chunk) => report.add(stream, chunk) || run.end(`printed more than ${MOST_MB} MB`));
  }
  const limit = setTimeout(run.end, context.getRemainingTimeInMillis() - LEFT_MS, 'ran for 15 minutes');
  await watch(run, report, control);
  clearTimeout(limit);
  const { exit, how, reason } = await run.ended;
  const seconds = (Date.now() - began.getTime()) / 1000;
  if (isLogged) log('platform', `${reason ?? how} after ${seconds.toFixed(1)} s`);
  await report.close({ exit, reason, at: began.toISOString(), seconds, lines });
};

/** One argument is a line for the shell; several are run as they are. */
function start(command) {
  const words = command.length === 1 ? ['sh', '-c', command[0]] : command;
  const child = spawn('./run.sh', words, { cwd: __dirname, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = { child, isOver: false };
  let reason = null;
  run.signal = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has ended.
    }
  };
  run.end = (why) => {
    if (reason !== null) return;
    reason = why;
    run.signal('SIGTERM');
    setTimeout(run.signal, GRACE_MS, 'SIGKILL').unref();
  };
  run.ended = endOf(child).then((end) => {
    // What it has left running would go on at the next command.
    run.signal('SIGKILL');
    run.isOver = true;
    return { ...end, reason };
  });
  return run;
}

function endOf(child) {
  const closed = new Promise((resolve) => child.once('close', resolve));
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ exit: NOT_RUN, how: `could not be run: ${message}` }));
    child.once('exit', async (code, signal) => {
      await Promise.race([closed, pause(LAST_OUTPUT_MS)]);
      if (signal === null) resolve({ exit: code, how: `exited with code ${code}` });
      else resolve({ exit: SIGNAL_BASE + constants.signals[signal], how: `was ended by ${signal}` });
    });
  });
}

/** Stores what is said, and takes signals, until the command has ended. */
async function watch(run, report, control) {
  let obeyed = '';
  while (!run.isOver) {
    await Promise.race([run.ended, pause(EACH_MS)]);
    await report.store().catch(() => {});
    const asked = await request(control).catch(() => '');
    if (asked !== obeyed) run.signal(asked.split(' ')[0]);
    obeyed = asked;
  }
}

async function request(address, init = {}) {
  const response = await fetch(address, { ...init, signal: AbortSignal.timeout(REQUEST_MS) });
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(`S3 answered ${response.status}.`);
}

/** What is told of a command: an object of S3, which is written as a whole each time. */
function reportTo(address, began) {
  const lines = [];
  let bytes = 0;
  let stored = 0;
  let storedAt = 0;
  const say = (what) => void lines.push(Buffer.from(`${JSON.stringify(what)}\n`));
  const put = async () => {
    const count = lines.length;
    await request(address, { method: 'PUT', body: Buffer.concat(lines) });
    stored = count;
    storedAt = Date.now();
  };
  return {
    /** Returns whether it was not too much. */
    add: (stream, chunk) => {
      bytes += chunk.length;
      if (bytes > MOST_MB * 1024 * 1024) return false;
      say({ stream, data: chunk.toString('base64') });
      return true;
    },
    store: async () => {
      if (Date.now() - storedAt > SIGN_MS) say({ began });
      if (lines.length > stored) await put();
    },
    close: async (end) => {
      say(end);
      for (let tries = 1; ; tries += 1) {
        try {
          return await put();
        } catch (error) {
          if (tries === TRIES) throw error;
          await pause(EACH_MS);
        }
      }
    },
  };
}
