import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SentEntry } from '../../../../functions/api/shapes/entry.ts';
import { stages } from '../../../../functions/core/pipeline/pipeline.ts';
import { publicAddresses } from '../../../../lib/local/config/public-addresses.ts';
import { applicationsOf } from '../../../../lib/local/show/applications.ts';
import { follow } from '../../../../lib/local/show/follow.ts';
import { type Ready, readyLines } from '../../../../lib/local/show/ready.ts';
import { memorySignals } from '../../../fakes/signals.ts';

const login = { user: 'demo', password: 'secret' };
const started = Date.UTC(2026, 0, 2);
const entry = (number: number, status: string, finishedAt: number | null) => ({
  id: `http://127.0.0.1/1/status/demo/changes/${'a'.repeat(20)}${String(number).padStart(12, '0')}`,
  status,
  doc: { stages: [], reason: null, finished_at: finishedAt === null ? null : new Date(finishedAt).toISOString() },
});

describe('What npm start shows of the log', () => {
  it('leaves out what ended before the start, until it changes again', async () => {
    let rows = [
      entry(1, 'ok', started - 2000),
      entry(2, 'error', started - 1000),
      entry(3, 'ok', started + 1000),
      entry(4, 'running', null),
    ];
    const signals = memorySignals();
    const engine = { signals, newest: async () => rows as unknown as SentEntry[] };
    const shown: string[] = [];
    const follower = follow({ engine, url: 'http://127.0.0.1', login, since: started }, ({ id, status }) =>
      shown.push(`#${Number(id.slice(-12))} ${status}`),
    );
    await follower.catchUp();
    expect(shown).toEqual(['#3 ok', '#4 running']);
    rows = [entry(1, 'crashed', started - 2000), entry(4, 'ok', started + 2000)];
    signals.notify('demo', 9);
    await expect.poll(() => shown.length).toBe(4);
    expect(shown.slice(2)).toEqual(['#1 crashed', '#4 ok']);
    follower.close();
  });
});

describe('The applications that npm start lists', () => {
  const app = (name: string, state: 'starting' | 'running' | 'stopped' | 'never') => {
    return { user: 'demo', app: name, name, state, url: null, snapshot: null };
  };

  it('are those of the user by name, as soon as none is being started', async () => {
    let asked = 0;
    const list = async () => {
      asked += 1;
      return [app('shop', asked === 1 ? 'starting' : 'running'), app('blog', 'stopped'), app('draft', 'never')];
    };
    const applications = await applicationsOf({ list }, 'demo');
    expect(applications.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'blog stopped',
      'draft never',
      'shop running',
    ]);
  });

  it('are refused with the sentence of a platform that cannot list them', async () => {
    const list = () => Promise.reject(new Error('app.json is damaged.'));
    await expect(applicationsOf({ list }, 'demo')).rejects.toThrow(
      'The applications cannot be listed: app.json is damaged.',
    );
  });
});

describe('The lines at the end of npm start', () => {
  const ready: Ready = {
    url: 'http://127.0.0.1:8080',
    addresses: undefined,
    user: 'demo',
    dataDir: '/data',
    hooks: 'hooks',
    isPackage: false,
    sample: { app: 'hello', repository: '/data/hello.git' },
    applications: [
      { name: 'blog', state: 'crashed', url: 'http://127.0.0.1:2' },
      { name: 'hello', state: 'running', url: 'http://127.0.0.1:1' },
      { name: 'shop', state: 'running', url: 'http://127.0.0.1:5' },
    ],
  };

  it('list the applications with their state, and the address of those that run', () => {
    const lines = readyLines(ready);
    expect(lines).toContain('The sample application answers at  http://127.0.0.1:1');
    expect(lines).toContain('  shop  running  http://127.0.0.1:5');
    expect(lines).toContain('  blog  crashed');
  });

  it('begin with the page, and where the password for it is', () => {
    expect(readyLines(ready).join('\n')).toMatch(
      /The page +http:\/\/127\.0\.0\.1:8080\/ {2}\(user demo, password in \S+\)/,
    );
  });

  it('have the public addresses of a server', () => {
    const lines = readyLines({ ...ready, addresses: publicAddresses({ appsDomain: 'apps.example.com' }) }).join('\n');
    expect(lines).toContain('https://<application>.demo.apps.example.com');
    expect(lines).toContain('https://deploy.apps.example.com/1/deploy');
    expect(lines).toContain('https://git.apps.example.com/demo/<name>.git');
    expect(lines).toContain('wss://signals.apps.example.com');
  });

  it('say how to push an application of one’s own, without its password in a file of git', () => {
    expect(readyLines(ready)).toContain('  cd my-app && hooks create my-app && git push hooks HEAD');
    expect(readyLines(ready).join('\n')).not.toContain('cat ');
  });

  it('fit a terminal of 80 columns and 24 rows, with the lines of the first start above and the cursor below', () => {
    const dataDir = join(process.cwd(), '.local');
    const sample = { app: 'hello', repository: join(dataDir, 'repositories/repositories/demo/hello.git') };
    const applications = [{ name: 'hello', state: 'running', url: 'http://127.0.0.1:21234' }] as const;
    const lines = readyLines({ ...ready, url: 'http://127.0.0.1:18080', dataDir, sample, applications });
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const above = [
      '… starting the platform',
      '… starting the service',
      'Ready',
      '#1',
      ...stages.map(({ name }) => name),
      '#1 live',
    ];
    expect(above.length + lines.length + 1).toBeLessThanOrEqual(24);
  });

  it('have the commands of the README, in the same words', () => {
    const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
    const sample = { app: 'hello', repository: '.local/repositories/repositories/demo/hello.git' };
    const commands = readyLines({ ...ready, sample, applications: [] }).filter((line) => line.startsWith('  '));
    expect(commands).toHaveLength(5);
    for (const command of commands) expect(readme).toContain(`\n${command.trim()}\n`);
  });

  it('quote paths with spaces, so that they can be pasted', () => {
    const lines = readyLines({
      ...ready,
      dataDir: '/my data',
      sample: { app: 'hello', repository: '/my data/hello.git' },
    });
    expect(lines.join('\n')).toMatch(/password in '[^']*my data\/password'/);
    expect(lines.join('\n')).toMatch(/git clone '[^']*my data\/hello\.git' \.\.\/hello/);
  });
});
