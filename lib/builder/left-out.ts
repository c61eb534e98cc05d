import { open } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { UNFOLLOWED } from '../files/opened.ts';
import { entriesInside } from './inside.ts';
import { textOf } from './manifest.ts';
import type { Procfile } from './start/start-command.ts';

/** https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const POINTER = 'version https://git-lfs.github.com/spec/';
/** Files and folders that are looked at for one that Git LFS keeps elsewhere. */
const MOST_FILES = 20_000;
const MOST_NAMED = 20;

/** Returns a sentence for each kind of content that a commit only names, which its tarball does not have. */
export async function leftOut(root: string): Promise<readonly string[]> {
  const modules = await textIn(root, '.gitmodules');
  const submodules = [...modules.matchAll(/^[ \t]*path[ \t]*=(.*)$/gm)].map(([, path = '']) => path.trim());
  const absent = [];
  for (const path of submodules.slice(0, MOST_NAMED)) if (await isEmpty(root, path)) absent.push(path);
  const pointer = await firstPointer(root);
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

/** What a package manager prints of a package whose install scripts it has not run, and how they are allowed. */
interface Ignoring {
  readonly manager: string;
  /** Its first group is a name, or several with commas between them. */
  readonly package: RegExp;
  /** The output has it too; absent: the packages alone say it. */
  readonly only?: RegExp;
  readonly advice: (name: string) => string;
}

const IGNORING: readonly Ignoring[] = [
  {
    // https://pnpm.io/settings#onlybuiltdependencies
    manager: 'pnpm',
    package: /Ignored build scripts: ([^│]+)/,
    advice: () =>
      'name those that are needed in onlyBuiltDependencies of pnpm-workspace.yaml ("pnpm approve-builds" does)',
  },
  {
    // From npm 12 on; npm 11 says only that it will.
    manager: 'npm',
    package: /^npm warn install-scripts {3}(@?[^@\s]+)@/,
    only: /^npm warn install-scripts .*\bblocked\b/,
    advice: (name) => `allow those that are needed in package.json ("allowScripts": { "${name}": true })`,
  },
  {
    // https://yarnpkg.com/advanced/error-codes#yn0004---build_disabled
    manager: 'yarn',
    package: /YN000[45]: │ (@?[^@\s]+)@/,
    only: /lists build scripts, but/,
    advice: (name) =>
      `allow those that are needed in package.json ("dependenciesMeta": { "${name}": { "built": true } })`,
  },
];

/** Returns a sentence about the install scripts that a package manager has not run, by its output; undefined for none. */
export function ignoredScripts(printed: readonly string[]): string | undefined {
  for (const { manager, package: pattern, only, advice } of IGNORING) {
    if (only && !printed.some((line) => only.test(line))) continue;
    const names = [
      ...new Set(printed.flatMap((line) => pattern.exec(line)?.[1]?.trim().replace(/\.$/, '') ?? [])),
    ].slice(0, MOST_NAMED);
    const [first] = names;
    if (first !== undefined)
      return `${manager} has not run the install scripts of ${names.join(', ')}: ${advice(first)}.`;
  }
  return undefined;
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

/** Returns the first pointer in a folder whose `.gitattributes`, or that of one above it, names Git LFS. */
async function firstPointer(root: string): Promise<string | undefined> {
  const folders = [{ folder: '', usesLfs: false }];
  let left = MOST_FILES;
  for (const { folder, usesLfs: above } of folders) {
    const entries = await entriesInside(join(root, folder), left);
    const attributes = entries.some(({ name }) => name === '.gitattributes')
      ? join(folder, '.gitattributes')
      : undefined;
    const usesLfs = above || (attributes !== undefined && /\bfilter=lfs\b/.test(await textIn(root, attributes)));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules') folders.push({ folder: path, usesLfs });
      left -= 1;
      if (left <= 0) return undefined;
      if (usesLfs && entry.isFile() && (await isPointer(join(root, path)))) return path;
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

/** Says what of a Procfile does not run on AWS Lambda. */
export function unusedIn(procfile: Procfile): readonly string[] {
  const unused = Object.keys(procfile).filter((type) => type !== 'web' && type !== 'release');
  if (unused.length === 0) return [];
  return [`On AWS Lambda only web and release of the Procfile are run, not ${unused.join(', ')}.`];
}
