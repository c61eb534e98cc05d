// Watchers of a feed, all in this one process: plain sockets, the same for whatever is measured, that look for rows and
// for nothing else. Answers each message of the parent with one.
import { connect, type Socket } from 'node:net';
import { now } from './feed.ts';

/** What the parent asks for: watchers that have begun, or what they have seen. */
export type ToWatchers = { readonly open: { port: number; request: string; crowd: number } } | 'collect';

/** Per watcher, the seq of each row in the order of arrival and when it came. */
export type Seen = readonly { readonly seqs: number[]; readonly times: number[] }[];

interface Watcher {
  readonly seqs: number[];
  readonly times: number[];
  readonly socket: Socket;
}

/** The first `seq` of a whole row. */
const row = /^\{.*?"seq":(\d+).*\}\r?$/;
const watchers: Watcher[] = [];

process.on('message', (message: ToWatchers) => {
  if (message === 'collect') process.send?.(watchers.map(({ seqs, times }) => ({ seqs, times })) satisfies Seen);
  else open(message.open).then(() => process.send?.('begun'), fail);
});
process.on('disconnect', () => process.exit(0));

async function open({ port, request, crowd }: { port: number; request: string; crowd: number }): Promise<void> {
  await Promise.all(Array.from({ length: crowd }, () => watch(port, request)));
}

/** Resolves with the first bytes: then the feed knows of the watcher. */
function watch(port: number, request: string): Promise<void> {
  const watcher: Watcher = { seqs: [], times: [], socket: connect(port, '127.0.0.1') };
  watchers.push(watcher);
  const { socket } = watcher;
  let rest = '';
  socket
    .setNoDelay(true)
    .setEncoding('utf8')
    .once('error', fail)
    .once('close', () => fail('A watcher was cut off.'));
  socket.write(request);
  return new Promise((resolve) => {
    socket.on('data', (text: unknown) => {
      const at = now();
      resolve();
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line, at, watcher);
    });
  });
}

/** Everything else is heads of answers and of chunks, which no row is cut by. */
function take(line: string, at: number, watcher: Watcher): void {
  if (!line.startsWith('{')) return;
  const seq = row.exec(line)?.[1];
  if (seq === undefined) fail(`No row: ${line.slice(0, 200)}`);
  watcher.seqs.push(Number(seq));
  watcher.times.push(at);
}

function fail(reason: unknown): never {
  console.error(reason);
  process.exit(1);
}
