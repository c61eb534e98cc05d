import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Streams a command's standard output as the body of a response whose head is already written. When the command fails
 * or cannot be started, the connection is destroyed, so that the client notices the incomplete body. The command is
 * killed when the client disconnects.
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
