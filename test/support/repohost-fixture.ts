import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeWorkTree } from './service/git-folder.ts';

const run = promisify(execFile);

/** A folder for one test, with a space and a quote in its path because people have such. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'repo-host-'));
  const path = join(root, "it's a folder");
  mkdirSync(path);
  return { path, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** What a git command printed, both streams: git writes messages to stderr. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git as a person would, but not with the settings of the person who runs the tests. */
export async function git(args: readonly string[], environment: Record<string, string> = {}): Promise<Printed> {
  const person = { NAME: 'Ada', EMAIL: 'ada@example.test', DATE: '2026-01-02T03:04:05+01:00' };
  const named = Object.entries(person).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const env = {
    PATH: process.env.PATH ?? '',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...Object.fromEntries(named),
    ...environment,
  };
  return run('git', [...args], { env });
}

/** The whole path of a command. */
export async function whereIs(command: string): Promise<string> {
  return (await run('sh', ['-c', `command -v ${command}`])).stdout.trim();
}

/** A working copy to commit in and push from. */
export interface WorkingCopy {
  readonly path: string;
  git(...args: string[]): Promise<Printed>;
  /** Writes the files, commits everything, and gives the commit's id. */
  commit(message: string, files: Readonly<Record<string, string>>): Promise<string>;
}

export function workingCopy(path: string): WorkingCopy {
  makeWorkTree(path);
  const here = (...args: string[]) => git(['-C', path, ...args]);
  return {
    path,
    git: here,
    async commit(message, files) {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), content);
      }
      await here('add', '--all');
      await here('commit', '--quiet', '--message', message);
      const ref = readFileSync(join(path, '.git/HEAD'), 'utf8').slice('ref: '.length).trim();
      return readFileSync(join(path, '.git', ref), 'utf8').trim();
    },
  };
}
