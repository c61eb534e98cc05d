import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** A server that takes webhooks, in a process of its own. */
export interface Peer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts adnanh/webhook (`apt-get install webhook`) with one hook, which looks at the branch and runs `true`. It stores
 * nothing, asks for no login and answers before the command has run. Null when it is not on the PATH.
 */
export async function startWebhook(folder: string): Promise<Peer | null> {
  if (spawnSync('webhook', ['-version']).status !== 0) return null;
  const hooks = join(folder, 'hooks.json');
  const parameter = { source: 'payload', name: 'ref' };
  const rule = { match: { type: 'value', value: 'refs/heads/main', parameter } };
  writeFileSync(hooks, JSON.stringify([{ id: 'push', 'execute-command': '/bin/true', 'trigger-rule': rule }]));
  const port = await freePort();
  const args = ['-hooks', hooks, '-ip', '127.0.0.1', '-port', String(port)];
  const server = spawn('webhook', args, { stdio: 'ignore' });
  const exit = once(server, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url).catch(() => null))) await setTimeout(20);
  return {
    url: `${url}/hooks/push`,
    close: async () => {
      server.kill();
      await exit;
    },
  };
}
