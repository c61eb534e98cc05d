import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isEmptyFolder } from '../../files/opened.ts';
import type { Sight } from '../../process/sandbox.ts';

/** Between two process ids; an application with its npm and its shells has fewer processes at its start. */
const STEP = 8;
const PLACES = 3;
/** Folders whose last place is known; without it, one start in three has the id of the start before. */
const MOST_KNOWN = 10_000;

/**
 * Uses up ids and runs the command with the next one, as the first process of a namespace of pids: it reaps what is left
 * behind, and all ends with it. What shells say of a command that a signal has ended is not of its output.
 */
const SCRIPT =
  'exec 9>&2 2>/dev/null; n=$1; shift; while [ "$n" -gt 0 ]; do (:); n=$((n - 1)); done; (exec "$@" 2>&9 9>&-); exit $?';

/** By folder, which of its places the last start had. */
const places = new Map<string, number>();

/**
 * Returns the end of bubblewrap's arguments: the command, with another process id than the last one that has used the same data
 * folder, where it would have the same each time. A pid file of a process that was killed would name the one which has just been
 * started, or the shell around it. The kernel gives ids in turn, and each that is used up costs a fork of a shell: 0.3 ms, on some
 * machines 3 ms. So none is where there can be no such file.
 */
export function withOtherPid(command: readonly string[], sandbox: Sight): readonly string[] {
  const { dataDir } = sandbox;
  if (dataDir === undefined) return ['--', ...command];
  const place = isFirst(sandbox.temporaries, dataDir) ? 0 : nextPlace(dataDir);
  if (places.size >= MOST_KNOWN) places.clear();
  places.set(dataDir, place);
  if (place === 0) return ['--', ...command];
  return ['--as-pid-1', '--', '/bin/sh', '-c', SCRIPT, 'sh', String(place * STEP), ...command];
}

function nextPlace(dataDir: string): number {
  return ((places.get(dataDir) ?? randomInt(PLACES)) + 1) % PLACES;
}

/** Whether no earlier process can have left a file: none of the release has run with a data folder, and that is empty. */
function isFirst(temporaries: string, dataDir: string): boolean {
  const isNew = mkdirSync(join(temporaries, 'has-run'), { recursive: true }) !== undefined;
  return isNew && isEmptyFolder(dataDir);
}
