import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { row } from '../../../functions/api/views.ts';
import { freePort } from '../../../lib/http/ports.ts';
import { entry } from '../../support/entries.ts';
import { project } from '../../support/service/place.ts';
import { getRequest, type MeasuredFeed } from './feed.ts';

const VERSION = '4.2.0';
const peers = join(project, '.local', 'bench', 'peers');
const program = join(peers, 'node_modules', 'pouchdb-server', 'bin', 'pouchdb-server');
const agent = new Agent({ keepAlive: true });

/**
 * Starts PouchDB Server with its own store, LevelDB, which it writes without fsync. Installed on demand, outside the
 * project's dependencies; null when the npm registry cannot be reached.
 */
export async function pouchDb(folder: string): Promise<MeasuredFeed | null> {
  if (!(await installed())) return null;
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const args = [program, '--host', '127.0.0.1', '--port', String(port), '--no-stdout-logs', '--dir', folder];
  const server = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
  const exit = once(server, 'exit');
  let databases = 0;
  await answering(port);
  return {
    port,
    pid: server.pid ?? 0,
    fresh: async () => {
      databases += 1;
      const database = `/changes-${databases}`;
      await put(port, database, {});
      let seq = 0;
      return {
        request: getRequest(
          `http://127.0.0.1:${port}${database}/_changes?feed=continuous&include_docs=true&since=0&heartbeat=1000`,
        ),
        write: async () => {
          seq += 1;
          const id = `row-${seq}`;
          await put(port, `${database}/${id}`, document(seq));
          return id;
        },
      };
    },
    close: async () => {
      server.kill();
      await exit;
    },
  };
}

/** A row of the service with its document. */
function document(seq: number): Record<string, unknown> {
  return row(entry({ seq, uuid: randomUUID() }), { base: 'http://127.0.0.1:8080', docs: 'true' });
}

async function installed(): Promise<boolean> {
  if (existsSync(program)) return true;
  mkdirSync(peers, { recursive: true });
  const args = ['install', '--prefix', peers, '--no-save', '--no-audit', '--no-fund', `pouchdb-server@${VERSION}`];
  return promisify(execFile)('npm', args, { timeout: 180_000 }).then(
    () => existsSync(program),
    () => false,
  );
}

async function answering(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await fetch(`http://127.0.0.1:${port}/`).catch(() => null))?.ok) return;
    await setTimeout(50);
  }
  throw new Error('PouchDB Server does not answer.');
}

async function put(port: number, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const asked = request({ host: '127.0.0.1', port, path, method: 'PUT', agent, headers });
  asked.end(JSON.stringify(body));
  const [answer] = await once(asked, 'response');
  answer.resume();
  await once(answer, 'end');
  if (answer.statusCode !== 201) throw new Error(`PouchDB Server answered ${answer.statusCode}.`);
}
