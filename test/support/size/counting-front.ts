import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../lib/http/ports.ts';
import type { Dynoxide } from '../../aws-local/emulators/dynoxide.ts';

/** What was asked for since the last `start`. */
export interface Asked {
  /** Requests to the database, and to everything else: other services and repository hosts. */
  database: number;
  others: number;
  /** Items that the database has returned. */
  items: number;
  /** The most requests at a time. */
  atOnce: number;
}

/** An address for all clients of AWS and of a repository host, which counts what they ask. */
export interface CountingFront {
  readonly endpoint: string;
  readonly asked: Asked;
  /** Forgets what was asked. */
  start(): void;
  close(): Promise<void>;
}

const NOTHING: Asked = { database: 0, others: 0, items: 0, atOnce: 0 };

/**
 * Passes requests to the database on, and answers others itself: a queue takes each message, a repository has the pull
 * requests 1 to 10, an object has one byte, and other services answer with nothing.
 */
export async function countingFront(database: Dynoxide): Promise<CountingFront> {
  const asked = { ...NOTHING };
  let open = 0;
  const answer = async (message: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(message);
    const target = String(message.headers['x-amz-target'] ?? '');
    if (!target.startsWith('DynamoDB')) {
      asked.others += 1;
      return respond(message, response, { target, body });
    }
    asked.database += 1;
    const { status, headers, body: found } = await database.ask(message.headers, body);
    asked.items += itemsIn(found);
    response.writeHead(status, headers).end(found);
  };
  const server = createServer((message, response) => {
    open += 1;
    asked.atOnce = Math.max(asked.atOnce, open);
    response.once('close', () => {
      open -= 1;
    });
    answer(message, response).catch(() => response.destroy());
  });
  const port = await listen(server, 0);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    asked,
    start: () => void Object.assign(asked, NOTHING),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function itemsIn(body: Buffer): number {
  const { Items, Item, Responses } = JSON.parse(body.toString('utf8'));
  if (Responses) return Object.values<readonly unknown[]>(Responses).flat().length;
  return Items?.length ?? (Item ? 1 : 0);
}

function respond(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  { target, body }: { readonly target: string; readonly body: Buffer },
): void {
  const json = (value: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const [, name] = /^\/repos\/acme\/([^/]+)\/contents\/package.json/.exec(url) ?? [];
  if (target.endsWith('SendMessage')) {
    const { MessageBody } = JSON.parse(body.toString('utf8'));
    json({ MessageId: 'one', MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') });
  } else if (/\/pulls\?/.test(url)) {
    json(Array.from({ length: 12 }, (_, at) => draftPull(at + 1)));
  } else if (/\/pulls\/\d+$/.test(url)) {
    json({ state: 'closed' });
  } else if (name !== undefined) {
    json({ name: `@acme/${name}`, version: '1.0.0' });
  } else if (url.startsWith('/repos/')) {
    json({ message: 'Not Found' }, 404);
  } else if (method === 'HEAD') {
    response.writeHead(200, { 'content-length': '1' }).end();
  } else {
    json({}, /\/invocations$/.test(url) ? 202 : 200);
  }
}

function draftPull(number: number) {
  const repo = { id: 1 };
  return { number, draft: true, head: { ref: 'next', sha: 'b'.repeat(40), repo }, base: { repo } };
}
