// Watchers of a feed, all in this process: plain sockets, the same for every feed, that look for rows only. Answers
// each message of the parent with one.
import { connect, type Socket } from 'node:net';
import { now } from './feed.ts';

/** A message of the parent: to start watchers, or to return what they have received. */
export type ToWatchers = { readonly open: { port: number; request: string; crowd: number } } | 'collect';

/** Per watcher, the seq and the time of arrival of each row, in order of arrival. */
export type Seen = readonly { readonly seqs: number[]; readonly times: number[] }[];

interface Watcher {
  readonly seqs: number[];
  readonly times: number[];
  readonly socket: Socket;
}

/** Matches the first `seq` of a complete row. */
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

/** Resolves with the first bytes, which confirm that the feed has the watcher. */
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

/** All other lines are response heads and chunk sizes; none of them splits a row. */
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
