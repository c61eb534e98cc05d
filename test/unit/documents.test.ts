import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const project = fileURLToPath(new URL('../..', import.meta.url));
const MAX_BYTES = 8 * 1024;

/** Every Markdown document of the project, as a path from its root. The sample's belongs to the sample. */
const documents = ['.github', 'bin', 'functions', 'lib', 'test']
  .flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map((path) => posix.join(folder, path)),
  )
  .concat('README.md')
  .filter((path) => path.endsWith('.md') && !path.startsWith('lib/local/sample/'));

function textOf(path: string): string {
  return readFileSync(join(project, path), 'utf8');
}

function withoutCode(text: string): string {
  return text
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]]/g, ' '));
}

interface Link {
  readonly from: string;
  readonly to: string;
}

/** The links of a document that stay in the project: paths from its root, with the anchor if there is one. */
function linksOf(path: string): Link[] {
  return [...withoutCode(textOf(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => ({
      from: path,
      to: target.startsWith('#') ? `${path}${target}` : posix.join(posix.dirname(path), target),
    }));
}

/** The anchors of a document, as GitHub forms them from headings, and those that are written by hand. */
function anchorsOf(path: string): string[] {
  const text = withoutCode(textOf(path));
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

function leadsNowhere({ to }: Link): boolean {
  const [path = '', anchor] = to.split('#');
  if (!existsSync(join(project, path))) return true;
  if (anchor === undefined || anchor === '') return false;
  const isFolder = statSync(join(project, path)).isDirectory();
  return !anchorsOf(isFolder ? posix.join(path, 'README.md') : path).includes(anchor);
}

const sources = ['bin', 'functions', 'lib', 'test'].flatMap((folder) =>
  readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map((path) => posix.join(folder, path)),
);
const { scripts } = JSON.parse(textOf('package.json'));

/** The files and scripts that a document names as code, or in a command: `core/errors.ts`, `npm run bench`. */
function namedIn(path: string): { files: string[]; commands: string[] } {
  const text = textOf(path);
  const spans = [...text.matchAll(/`([^`\n]+)`|^ *```[\s\S]*?^ *```$/gm)].map(([code, span]) => span ?? code);
  const words = spans.flatMap((code) => code.replaceAll(/https?:\S+/g, '').split(/[\s`'"]+/));
  return {
    files: words.filter((word) => /^(?:[\w-]+\/)+[\w.-]+\.(?:ts|tsx|css|txt)$/.test(word)),
    commands: spans.flatMap((code) => [...code.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)),
  };
}

describe('the documents', () => {
  it.each(documents.filter((path) => path !== '.github/CHANGELOG.md'))(
    '%s names files and scripts that exist',
    (path) => {
      const { files, commands } = namedIn(path);
      expect(files.filter((file) => !sources.some((source) => `/${source}`.endsWith(`/${file}`)))).toEqual([]);
      expect(commands.filter((name) => !(name in scripts))).toEqual([]);
    },
  );

  it.each(documents)('%s links to files and anchors that exist', (path) => {
    expect(linksOf(path).filter(leadsNowhere)).toEqual([]);
  });

  it.each(documents)('%s has no mark of a conflict between two versions', (path) => {
    expect(textOf(path)).not.toMatch(/^(<{7}|>{7}) /m);
  });

  it('are all linked from the root README or from CONTRIBUTING.md', () => {
    const linked = ['README.md', '.github/CONTRIBUTING.md']
      .flatMap(linksOf)
      .map(({ to }) => to.replace(/#.*$/, '').replace(/\/$/, ''));
    const reached = (path: string) => linked.includes(path) || linked.includes(posix.dirname(path));
    expect(documents.filter((path) => path !== 'README.md' && !reached(path))).toEqual([]);
  });

  it('name the version of package.json and of its lockfile as the newest in the changelog', () => {
    const [, newest] = /^## (\d\S+) \(\d{4}-\d\d-\d\d\)$/m.exec(textOf('.github/CHANGELOG.md')) ?? [];
    const [manifest, lockfile] = ['package.json', 'package-lock.json'].map((path) => JSON.parse(textOf(path)));
    expect([manifest.version, lockfile.version, lockfile.packages[''].version]).toEqual([newest, newest, newest]);
  });

  it.each(documents)('%s has at most 8 kB', (path) => {
    expect(statSync(join(project, path)).size).toBeLessThanOrEqual(MAX_BYTES);
  });
});

describe('the map of the folders in CONTRIBUTING.md', () => {
  const [, map = ''] = textOf('.github/CONTRIBUTING.md').split(/<!-- \/?folders -->/);
  const rows = [...map.matchAll(/^\| (.*`.+) \| (.+) \|$/gm)].flatMap(([, named = '', about = '']) =>
    [...named.matchAll(/`([^`]+)`/g)].map(([, folder = '']) => ({ folder, about })),
  );
  const matches = (row: string, folder: string) =>
    row.endsWith('*') ? folder.startsWith(row.slice(0, -1)) : row === folder;
  const subfolders = ['functions', 'lib', 'test'].flatMap((folder) =>
    readdirSync(join(project, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`),
  );
  const folders = ['bin', ...subfolders];

  it('has each folder exactly once', () => {
    const counted = folders.map((folder) => [folder, rows.filter((row) => matches(row.folder, folder)).length]);
    expect(counted.filter(([, count]) => count !== 1)).toEqual([]);
  });

  it('has no folder that does not exist, and says what each is', () => {
    expect(rows.filter((row) => !folders.some((folder) => matches(row.folder, folder)))).toEqual([]);
    for (const { about } of rows) expect(about).toMatch(/\w{3}/);
  });
});
