import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { project } from '../support/service/place.ts';
import { runningIn } from '../support/service/processes.ts';
import { medians } from './rounds.ts';
import { type BenchRow, plainRow } from './row.ts';
import { emptyFolder } from './service.ts';
import { milliseconds } from './statistics.ts';

const MOST_FIRST_MS = 15_000;
const MOST_RESTART_MS = 1_000;
const MOST_MB = 70;

/**
 * Measures the commands of the README, with an empty npm cache: from `git clone` of this checkout until the sample
 * answers, a restart until it is ready, and what is installed. npm downloads from its registry.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const found = await medians(async () => {
    const folder = emptyFolder('start');
    try {
      return await measure(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return [
    plainRow('clone to the answer of the sample, empty npm cache', milliseconds(found.first), {
      most: milliseconds(MOST_FIRST_MS),
      reached: found.first <= MOST_FIRST_MS,
    }),
    plainRow('… of that until everything is installed', milliseconds(found.installed)),
    plainRow('restart until it is ready, npm start', milliseconds(found.restart), {
      most: milliseconds(MOST_RESTART_MS),
      reached: found.restart <= MOST_RESTART_MS,
    }),
    plainRow('… without npm, node bin/run.mjs local', milliseconds(found.bare)),
    plainRow('packages on disk', `${found.megabytes.toFixed(0)} MB`, {
      most: `${MOST_MB} MB`,
      reached: found.megabytes <= MOST_MB,
    }),
  ];
}

type Figure = 'first' | 'installed' | 'restart' | 'bare' | 'megabytes';

async function measure(folder: string): Promise<Record<Figure, number>> {
  const checkout = join(folder, 'checkout');
  const begin = performance.now();
  execFileSync('git', ['clone', '--quiet', project, checkout]);
  const first = await started(checkout, folder, ['npm', 'start']);
  const times = { first: first.answered - begin, installed: first.begun - begin };
  await first.end();
  const restart = await timed(checkout, folder, ['npm', 'start']);
  const bare = await timed(checkout, folder, [process.execPath, 'bin/run.mjs', 'local']);
  const [kb] = execFileSync('du', ['-sk', join(checkout, 'node_modules')], { encoding: 'utf8' }).split('\t');
  return { ...times, restart, bare, megabytes: Number(kb) / 1024 };
}

async function timed(checkout: string, home: string, command: readonly string[]): Promise<number> {
  const begin = performance.now();
  const { ready, end } = await started(checkout, home, command);
  await end();
  return ready - begin;
}

/** Starts the service and waits until its sample answers. */
async function started(checkout: string, home: string, [program = '', ...args]: readonly string[]) {
  const { PATH, npm_config_registry: registry } = process.env;
  const child = spawn(program, args, {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...{ PATH, HOME: home, PORT: String(0), npm_config_cache: join(home, 'npm') },
      ...(registry && { npm_config_registry: registry }),
    },
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const printed = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(text);
      if (match) return match;
      if (child.exitCode !== null) throw new Error(`npm start has ended: ${text}`);
      await setTimeout(5);
    }
  };
  await printed(/starting the platform/);
  const begun = performance.now();
  await printed(/Ready after/);
  const ready = performance.now();
  const [, url = ''] = await printed(/sample application answers at +(\S+)/);
  while (!(await fetch(url).catch(() => null))?.ok) await setTimeout(5);
  const answered = performance.now();
  const end = async () => {
    await printed(/Ctrl-C ends everything/);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
    while (runningIn(checkout).length > 0) await setTimeout(20);
  };
  return { begun, ready, answered, end };
}
