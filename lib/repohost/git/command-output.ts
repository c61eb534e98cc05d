import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Streams what a command prints as the body of an answer whose head is set. A command that fails, or cannot be started,
 * ends in a connection that breaks off, so that nobody takes half a body for a whole one; a client that hangs up ends
 * the command.
 */
export async function pipeOutput(child: ChildProcessWithoutNullStreams, response: ServerResponse): Promise<void> {
  const ended = once(child, 'close')
    .then(([code]) => code === 0)
    .catch(() => false);
  child.stdin.on('error', () => {}).end();
  child.stderr.resume();
  response.once('close', () => child.kill());
  child.stdout.pipe(response, { end: false });
  if (await ended) response.end();
  else response.destroy();
}
