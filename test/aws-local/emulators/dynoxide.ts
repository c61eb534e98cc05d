import { spawn } from 'node:child_process';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../../../lib/files/errors.ts';
import { freePort } from '../../../lib/http/ports.ts';
import { exitOf } from '../../../lib/process/command.ts';
import { endGroup } from '../../../lib/process/process-group.ts';
import { watchGroup } from '../watchdog.ts';

/** An answer of the database, to be passed on. */
export interface DatabaseAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A running database emulator, which answers everybody and checks nothing. */
export interface Dynoxide {
  readonly endpoint: string;
  /** Passes a request on as it arrived. */
  ask(headers: IncomingHttpHeaders, body: Buffer): Promise<DatabaseAnswer>;
  /** Calls an operation, of tables or of their streams; rejects when it fails. */
  send(operation: string, input: object, api?: 'DynamoDB' | 'DynamoDBStreams'): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const START_LIMIT_MS = 60_000;
const START_ATTEMPTS = 5;
const PROBE_MS = 10;
const GRACE_MS = 400;
const KEPT_CHARACTERS = 4000;
/** Headers that belong to a connection, not to a request. */
const OF_THE_CONNECTION = new Set(['connection', 'host', 'keep-alive', 'transfer-encoding']);
/** The emulator wants to see a signature, and does not check it. */
const SIGNED = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  'x-amz-date': '20260101T000000Z',
};

/**
 * Starts an emulator, in memory or with its data in a file.
 *
 * @throws OperatorError when there is none for this machine, or it does not start
 */
export function startDynoxide(file?: string): Promise<Dynoxide> {
  return connected(['serve', ...(file === undefined ? [] : ['--db-path', file])]);
}

/**
 * Starts an emulator in memory with the items of an export to S3 in a folder: `<table>/data/*.json.gz`, and `schema.json`
 * with an answer of DescribeTable for each table. It reads 100,000 in half the time that batches take.
 */
export function startFilledDynoxide(folder: string): Promise<Dynoxide> {
  return connected(['import', '--serve', '--source', folder, '--schema', join(folder, 'schema.json')]);
}

async function connected(args: readonly string[]): Promise<Dynoxide> {
  const { port, command } = await started(args);
  const agent = new Agent({ keepAlive: true, noDelay: true });
  const ask: Dynoxide['ask'] = async (headers, body) => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { host: HOST, port, method: 'POST', agent, headers: passedOn(headers) };
      request(options, resolve).once('error', reject).end(body);
    });
    return { status: answer.statusCode ?? 500, headers: passedOn(answer.headers), body: await buffer(answer) };
  };
  return {
    endpoint: `http://${HOST}:${port}`,
    ask,
    send: async (operation, input, api = 'DynamoDB') => {
      const body = Buffer.from(JSON.stringify(input));
      const target = `${api}_20120810.${operation}`;
      const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
      const answer = await ask({ ...SIGNED, ...headers, 'content-length': `${body.length}` }, body);
      if (answer.status !== 200) throw new Error(`${operation}: ${answer.status} ${answer.body}`);
      return JSON.parse(answer.body.toString());
    },
    close: async () => {
      agent.destroy();
      await command.stop();
    },
  };
}

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name)));
}

/** Another program may take the port before the emulator does: another attempt finds another one. */
async function started(args: readonly string[]): Promise<{ port: number; command: Command }> {
  const binary = findBinary();
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const command = run(binary, [...args, '--host', HOST, '--port', String(port)]);
    if (await isReady(port, command)) return { port, command };
    await command.stop();
    if (attempt < START_ATTEMPTS) continue;
    throw new OperatorError(`The DynamoDB emulator does not start (${command.errors() || 'it printed nothing'}).`);
  }
}

/** The process of an emulator. */
interface Command {
  /** The last of its standard error. */
  errors(): string;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** Starts a process in a group of its own, which Ctrl-C in a terminal does not reach, and which ends with this process. */
function run(binary: string, args: readonly string[]): Command {
  const child = spawn(binary, args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'], env: {} });
  child.on('error', () => {});
  const { pid } = child;
  if (pid === undefined) throw new OperatorError(`${binary} cannot be started.`);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-KEPT_CHARACTERS);
  });
  const unwatch = watchGroup(pid);
  const ended = exitOf(child).then(unwatch);
  return {
    errors: () => errors.trim(),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stop: async () => {
      await endGroup(pid, GRACE_MS);
      await ended;
    },
  };
}

/** Returns whether the emulator answers before it ends. */
async function isReady(port: number, { hasEnded }: Command): Promise<boolean> {
  const limit = performance.now() + START_LIMIT_MS;
  while (!hasEnded() && performance.now() < limit) {
    if (await answers(port)) return true;
    await pause(PROBE_MS);
  }
  return false;
}

/** Whether it is the emulator that answers: no other program sends this header. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host: HOST, port, path: '/', agent: false }, (answer) => {
      answer.resume();
      resolve('x-dynoxide-version' in answer.headers);
    });
    asked.once('error', () => resolve(false));
    asked.end();
  });
}

function findBinary(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@dynoxide/${platform}/package.json`)), 'dynoxide');
  } catch (cause) {
    throw new OperatorError(
      `The database emulator does not run on ${platform}, but on Linux on x64: npm start and npm test need none.`,
      { cause },
    );
  }
}
