import { once } from 'node:events';
import { type RunTerminal, runTerminalIn, TERMINAL_FORM } from '../../../functions/core/output/run-terminal.ts';
import { jsonBody } from '../http/json-body.ts';
import { endWhenRevoked } from '../http/revocation.ts';
import { appOf, type Call, type Reply, type Route } from '../http/route.ts';
import { HttpError } from '../http-error.ts';
import type { OneOff, OneOffInput } from '../run/jobs/one-off.ts';
import type { OneOffs } from '../run/jobs/one-offs.ts';
import type { Apps } from '../store/apps.ts';

/** Dependencies of the routes of one-off commands. */
export interface RunRouteParts {
  readonly apps: Apps;
  readonly oneOffs: OneOffs;
  readonly bodyBytes: number;
}

/** The routes of one-off commands: start one, read what it says, send it input and signals. */
export function runRoutes({ apps, oneOffs, bodyBytes }: RunRouteParts): readonly Route[] {
  const path = '/apps/:user/:app/runs';
  return [
    {
      method: 'POST',
      path,
      run: async (call) => {
        const { command, terminal } = await jsonBody(call.request, bodyBytes);
        const words = wordsIn(command);
        const { id, hasTerminal } = await oneOffs.start(appOf(call), words, terminalIn(terminal));
        return { status: 201, body: { id, terminal: hasTerminal } };
      },
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      run: async (call) => {
        await apps.get(appOf(call));
        const one = oneOffs.get(appOf(call), call.param('id'));
        endWhenRevoked(call, apps.find);
        return send(call, one);
      },
    },
    {
      method: 'POST',
      path: `${path}/:id`,
      run: async (call) => {
        await apps.get(appOf(call));
        const input = inputIn(await jsonBody(call.request, bodyBytes));
        oneOffs.get(appOf(call), call.param('id')).write(input);
        return { status: 204 };
      },
    },
  ];
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
