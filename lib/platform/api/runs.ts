import { once } from 'node:events';
import { type RunTerminal, runTerminalIn, TERMINAL_FORM } from '../../../functions/core/output/run-terminal.ts';
import { type Call, endWhenRevoked, NO_CONTENT, ofApp, type Reply, type Routes } from '../http/route.ts';
import { HttpError } from '../http-error.ts';
import type { OneOff, OneOffInput } from '../run/jobs/one-off.ts';
import type { ApiParts } from './parts.ts';

/** The routes of one-off commands: start one, read what it says, send it input and signals. */
export function runRoutes({ apps, oneOffs }: ApiParts): Routes {
  const handler = ofApp(apps);
  return {
    'POST /apps/:user/:app/runs': handler(async (call, app) => {
      const { command, terminal } = await call.json();
      const { id, hasTerminal } = await oneOffs.start(app, wordsIn(command), terminalIn(terminal));
      return { status: 201, body: { id, terminal: hasTerminal } };
    }),
    'GET /apps/:user/:app/runs/:id': handler(async (call, app) => {
      const one = oneOffs.get(app, call.param('id'));
      endWhenRevoked(call, app, apps);
      return send(call, one);
    }),
    'POST /apps/:user/:app/runs/:id': handler(async (call, app) => {
      const input = inputIn(await call.json());
      oneOffs.get(app, call.param('id')).write(input);
      return NO_CONTENT;
    }),
  };
}

async function send({ response }: Call, one: OneOff): Promise<Reply> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const pieces = one.read(left.signal);
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  response.flushHeaders();
  for await (const said of pieces) {
    // The login was revoked meanwhile.
    if (response.writableEnded) break;
    const text = said.map((each) => `${JSON.stringify(each)}\n`).join('');
    // The command waits for a reader that is slow.
    if (!response.write(text)) await once(response, 'drain', { signal: left.signal }).catch(() => undefined);
  }
  response.end();
  return 'streamed';
}

const MOST_WORDS = 1_000;

function wordsIn(command: unknown): readonly string[] {
  const words: readonly unknown[] = Array.isArray(command) ? command : [];
  const isWord = (word: unknown): word is string => typeof word === 'string' && !word.includes('\0');
  if (words.length > 0 && words.length <= MOST_WORDS && words[0] !== '' && words.every(isWord)) return words;
  throw new HttpError(400, 'The field command is a list of the program and its arguments.');
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL'] as const;

function terminalIn(value: unknown): RunTerminal | undefined {
  const terminal = value === undefined ? undefined : runTerminalIn(value);
  if (terminal === null) throw new HttpError(400, `The field terminal is like ${TERMINAL_FORM}.`);
  return terminal;
}

function inputIn({ data, end, signal, terminal }: Readonly<Record<string, unknown>>): OneOffInput {
  const known = SIGNALS.find((one) => one === signal);
  const isText = data === undefined || typeof data === 'string';
  if (!isText || (signal !== undefined && !known) || (end !== undefined && typeof end !== 'boolean')) {
    throw new HttpError(400, `The fields are data (base64), end (true), terminal, and signal (${SIGNALS.join(', ')}).`);
  }
  const size = terminalIn(terminal);
  return {
    ...(data !== undefined && { data: Buffer.from(data, 'base64') }),
    isEnd: end === true,
    ...(known && { signal: known }),
    ...(size && { terminal: size }),
  };
}
