import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledProgram } from '../process/program.ts';
import type { InProcess } from './in-process.ts';

/** A call of a port's method; `id` comes back with the result. */
export interface Asked {
  readonly id: number;
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** A platform in a process of its own, whose memory can be measured. */
export interface SeparatePlatform extends Pick<InProcess, 'hosting' | 'applications' | 'snapshots'> {
  readonly dataDir: string;
  /** Whether its process has not ended. */
  isRunning(): boolean;
  /** The most memory that it has had, in MB (https://man7.org/linux/man-pages/man5/proc_pid_status.5.html). */
  peakMemory(): Promise<number>;
  /** Ends it with SIGKILL. Its folder stays. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** Starts it on a folder, or on an empty one. */
export async function separatePlatform(folder?: string): Promise<SeparatePlatform> {
  const dataDir = folder ?? (await mkdtemp(join(tmpdir(), 'platform-')));
  const child = spawn(process.execPath, [await bundledProgram('test/support/platform/platform-process.ts')], {
    env: { ...process.env, RUNNER_LINGER: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const answers = new EventEmitter();
  child.on('message', (answer: { id: number }) => answers.emit(`${answer.id}`, answer));
  await once(answers, '0');
  let asked = 0;
  const portOf = (port: string) =>
    new Proxy(Object.create(null), {
      get: (_, method: string) => {
        return async (...args: readonly unknown[]) => {
          asked += 1;
          const id = asked;
          child.send({ id, port, method, args } satisfies Asked);
          const [{ result, error }] = await once(answers, `${id}`);
          if (error !== undefined) throw new Error(error);
          return result;
        };
      },
    });
  return {
    hosting: portOf('hosting'),
    applications: portOf('applications'),
    snapshots: portOf('snapshots'),
    dataDir,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    peakMemory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    close: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
