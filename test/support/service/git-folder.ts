import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from '../new-folder.ts';

/** A work tree that pushes into one repository. */
export interface GitFolder {
  readonly folder: string;
  git(...args: string[]): string;
  /** Writes the files (null removes one) and commits; returns the commit's id. */
  commit(files: Readonly<Record<string, string | null>>, message?: string): string;
  /** Pushes and returns the output of git, with the lines of the hook, without waiting for the deploy. */
  push(...refs: string[]): Promise<string>;
  /** Pushes as a user does, who sees the stages of the deploy, and returns the output of git. */
  pushAndWatch(...refs: string[]): Promise<string>;
  /** For what is no run of tests, at whose end it is removed. */
  remove(): void;
}

/** Returns a new work tree whose `origin` is that repository. */
export function gitFolder(repository: string): GitFolder {
  const folder = newFolder('tree');
  const remote = `\turl = ${JSON.stringify(repository)}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  makeWorkTree(folder, `[user]\n\tname = Ann\n\temail = ann@example.com\n[remote "origin"]\n${remote}`);
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    }).trim();
  return {
    folder,
    git,
    commit: (files, message = 'A change') => {
      for (const [path, text] of Object.entries(files)) write(join(folder, path), text);
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return headOf(folder);
    },
    push: (...refs) => pushed(folder, ['--push-option', 'nowait', 'origin', ...(refs.length > 0 ? refs : ['main'])]),
    pushAndWatch: (...refs) => pushed(folder, ['origin', ...(refs.length > 0 ? refs : ['main'])]),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Makes what `git init` makes, with the branch `main`, without a process: tests make hundreds. */
export function makeWorkTree(folder: string, configuration = ''): void {
  const root = join(folder, '.git');
  for (const name of ['objects', 'refs/heads']) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, 'HEAD'), 'ref: refs/heads/main\n');
  // Each commit would start `git maintenance`.
  writeFileSync(join(root, 'config'), `[core]\n\tbare = false\n[maintenance]\n\tauto = false\n${configuration}`);
}

/** Returns the commit of the current branch, without a process: tests make hundreds. */
function headOf(folder: string): string {
  const branch = readFileSync(join(folder, '.git/HEAD'), 'utf8').slice('ref: '.length).trim();
  return readFileSync(join(folder, '.git', branch), 'utf8').trim();
}

function write(path: string, text: string | null): void {
  if (text === null) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The service that the push calls runs in this process, so git must not block it. */
async function pushed(folder: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('git', ['push', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  });
  return `${stdout}${stderr}`;
}

/** Returns the address of the entry whose page is in the output of a push. */
export function entryAddress(printed: string): string {
  const [, base, user, id] = /(https?:\/\/\S+)\/#\/([^/\s]+)\/deploys\/([0-9a-f]{32})/.exec(printed) ?? [];
  if (id === undefined) throw new Error(`No entry in: ${printed}`);
  return `${base}/1/status/${user}/changes/${id}`;
}

/** Returns the files of an application that answers with this text. */
export function application(name: string, text: string): Record<string, string> {
  return {
    'package.json': JSON.stringify({ name, version: '1.0.0', scripts: { start: 'node server.js' } }),
    'server.js': `require('node:http').createServer((_, response) => response.end(${JSON.stringify(text)})).listen(process.env.PORT, process.env.HOST);\n`,
  };
}
