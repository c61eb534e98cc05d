import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledProgram } from '../process/program.ts';
import type { Served } from './served.ts';

/** A platform in a process of its own, whose memory can be measured. */
export interface SeparatePlatform extends Pick<Served, 'url'> {
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
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())));
  return {
    url,
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
