import { open } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { UNFOLLOWED } from '../files/opened.ts';
import { entriesInside } from './inside.ts';
import { textOf } from './manifest.ts';
import type { CronEntry } from './start/cron.ts';
import type { Procfile } from './start/start-command.ts';

/** https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const POINTER = 'version https://git-lfs.github.com/spec/';
/** Files and folders that are looked at for one that Git LFS keeps elsewhere. */
const MOST_FILES = 20_000;
const MOST_NAMED = 20;

/** Returns a sentence for each kind of content that a commit only names, which its tarball does not have. */
export async function leftOut(root: string): Promise<readonly string[]> {
  const [modules, attributes] = await Promise.all([textIn(root, '.gitmodules'), textIn(root, '.gitattributes')]);
  const submodules = [...modules.matchAll(/^[ \t]*path[ \t]*=(.*)$/gm)].map(([, path = '']) => path.trim());
  const absent = [];
  for (const path of submodules.slice(0, MOST_NAMED)) if (await isEmpty(root, path)) absent.push(path);
  const pointer = /\bfilter=lfs\b/.test(attributes) ? await firstPointer(root) : undefined;
  return [
    ...(absent.length > 0
      ? [
          `Git submodules are not deployed: ${absent.join(', ')}. Add their files to the repository, or fetch them in a script of the build.`,
        ]
      : []),
    ...(pointer === undefined
      ? []
      : [
          `Files of Git LFS are deployed as pointers: ${pointer} for one. Fetch them in a script of the build, or keep them without LFS.`,
        ]),
  ];
}

const IGNORED = 'Ignored build scripts: ';

/** Returns a sentence about what pnpm has left out, which it says in its output: https://pnpm.io/settings#onlybuiltdependencies */
export function ignoredScripts(printed: readonly string[]): string | undefined {
  const [, said] = printed.find((line) => line.includes(IGNORED))?.split(IGNORED) ?? [];
  const names = said?.split('│')[0]?.trim().replace(/\.$/, '');
  if (!names) return undefined;
  return `pnpm has not run the install scripts of ${names}: name those that are needed in onlyBuiltDependencies of pnpm-workspace.yaml ("pnpm approve-builds" does).`;
}

function textIn(root: string, file: string): Promise<string> {
  return textOf(join(root, file)).then(
    (text) => text ?? '',
    () => '',
  );
}

/** A path may lead out of the repository, of which nothing is told. */
async function isEmpty(root: string, path: string): Promise<boolean> {
  const folder = join(root, path);
  return folder.startsWith(root + sep) && (await entriesInside(folder, 1)).length === 0;
}

async function firstPointer(root: string): Promise<string | undefined> {
  const folders = [''];
  let left = MOST_FILES;
  for (const folder of folders) {
    for (const entry of await entriesInside(join(root, folder), left)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules') folders.push(path);
      left -= 1;
      if (left <= 0) return undefined;
      if (entry.isFile() && (await isPointer(join(root, path)))) return path;
    }
  }
  return undefined;
}

async function isPointer(path: string): Promise<boolean> {
  const file = await open(path, UNFOLLOWED);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(POINTER.length) });
    return bytesRead === POINTER.length && buffer.toString('latin1') === POINTER;
  } finally {
    await file.close();
  }
}

/** Says what of a Procfile and of app.json does not run on AWS Lambda. */
export function unusedIn(procfile: Procfile, cron: readonly CronEntry[]): readonly string[] {
  const lines = Object.keys(procfile).filter((type) => type !== 'web' && type !== 'release');
  const unused = [...lines.map((type) => `${type} of the Procfile`), ...(cron.length > 0 ? ['cron of app.json'] : [])];
  return unused.length === 0 ? [] : [`On AWS Lambda only web and release are run, not ${unused.join(', ')}.`];
}
