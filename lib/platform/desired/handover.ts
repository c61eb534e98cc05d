import { type KeptFiles, keptPaths } from '../../files/kept-files.ts';
import { HttpError, sentenceOf } from '../../http/http-error.ts';
import type { AppId, ReleaseSpec } from '../../runner/calls.ts';
import type { Folders } from '../store/folders.ts';
import type { Snapshots } from '../store/snapshots.ts';
import { lossOf, writtenBy } from './written.ts';

/** What becomes of the files of a release when another one takes its place. */
interface Handover {
  /** The paths that the new one keeps. */
  readonly kept: readonly string[];
  /** What it takes over from the old one; absent: nothing. */
  readonly keptFiles?: KeptFiles;
  /** What ends with the old one, in sentences. */
  readonly lost?: string;
}

interface HandoverParts {
  readonly snapshots: Snapshots;
  readonly folders: Folders;
}

/**
 * Looks at what the release before has written. Throws an HttpError when a database would end with it, except at a rollback:
 * its settings are those of then, and the release before stays for a while.
 */
export async function handover(
  { snapshots, folders }: HandoverParts,
  app: AppId,
  { release, before }: { readonly release: ReleaseSpec; readonly before: ReleaseSpec | null },
): Promise<Handover> {
  if (before === null || before.snapshot === release.snapshot) return { kept: release.kept };
  const [to, from] = [await snapshots.get(app, release.snapshot), await snapshots.get(app, before.snapshot)];
  const isBack = to.uploaded_at < from.uploaded_at;
  const keep = [...new Set([to, ...(isBack ? [from] : [])].flatMap(({ settings }) => settings.keep ?? []))];
  if (isBack && from.settings.keep) await snapshots.write(app, { ...to, settings: { ...to.settings, keep } });
  const written = await writtenBy(before);
  const kept = await keptPaths(keep, folders.ofApp(app).data, [release, before]).catch((error: unknown) => {
    throw new HttpError(500, sentenceOf(error), [], { cause: error });
  });
  const isKept = (file: string) => kept.some((path) => isIn(path, file));
  const left = (all: readonly string[]) => all.filter((file) => !isKept(file));
  const [databases, places] = [left(written.databases), left(written.places)];
  if (databases.length > 0 && !isBack) {
    const needed = places.filter((place) => databases.some((file) => isIn(place, file)));
    throw endsWithIt(databases, settingFor(keep, needed));
  }
  const paths = kept.filter((path) => written.files.some((file) => isIn(path, file)));
  const keptFiles = { root: before.root, folder: before.folder, paths };
  const losses = [
    lossOf(left(written.files), wayFor(keep, places)),
    lossOf(await writtenAtHome(before), ELSEWHERE),
  ].filter((loss) => loss !== undefined);
  return { kept, ...(paths.length > 0 && { keptFiles }), ...(losses.length > 0 && { lost: losses.join(' ') }) };
}

/** No setting keeps these: a database there is named only, because no deploy could follow one that was refused. */
async function writtenAtHome({ home, since }: ReleaseSpec): Promise<readonly string[]> {
  if (home === undefined) return [];
  const { files } = await writtenBy({ root: home, folder: home, since });
  return files.map((file) => `~/${file}`);
}

const MOST_PLACES = 5;
const ELSEWHERE = 'the folder that DATA_DIR names is kept';

function isIn(path: string, file: string): boolean {
  return file === path || file.startsWith(`${path}/`);
}

function endsWithIt(databases: readonly string[], setting: string): HttpError {
  const sentence = `The release that runs has written the SQLite database ${databases.join(', ')}, which would end with it.`;
  return new HttpError(500, `${sentence} ${setting} and "hooks redeploy" keep it.`, []);
}

function settingFor(keep: readonly string[], places: readonly string[]): string {
  return `"hooks set keep=${[...keep, ...places].join(',')}"`;
}

/** An application with many such places should write elsewhere. */
function wayFor(keep: readonly string[], places: readonly string[]): string {
  return places.length > MOST_PLACES ? ELSEWHERE : `${settingFor(keep, places)} keeps it`;
}
