import { resolve } from 'node:path';
import { writeBackup } from '../../local/backup/backup.ts';
import { restoreBackup } from '../../local/backup/restore.ts';
import { printable } from '../../terminal/printable.ts';
import { type Call, type CommandDefinition, EXIT } from '../command.ts';
import { ownDataFolder } from '../service/data-folder.ts';
import { sizeText } from '../text.ts';

const LINKS = 'These links are left out, because they lead out of the DATA_DIR of an application:';
const FILE = { name: '<file>', about: 'such as hooks.tgz' };

export const backup: CommandDefinition = {
  name: 'backup',
  summary: 'Write the log, repositories, variables and data of the service on this machine into a file',
  details: `While everything runs. Databases are copied as they are at one moment, those of applications too. Releases and caches are left out:
they are built again. Ends with 3, and a list, when something could not be read: all the rest is in the file. The file has passwords, keys and variables in the clear; only you can read it.`,
  args: [FILE],
  examples: [['hooks backup ~/hooks.tgz', 'of the service in .local, or in DATA_DIR']],
  run: runBackup,
};

export const restore: CommandDefinition = {
  name: 'restore',
  summary: 'Put a backup into an empty data folder; the next start brings everything back',
  details: 'A folder with data is refused, and so is a file that is damaged or something else.',
  args: [FILE],
  examples: [['DATA_DIR=/var/lib/hooks hooks restore ~/hooks.tgz', 'then DATA_DIR=/var/lib/hooks npm start']],
  run: runRestore,
};

async function runBackup({ args, env, folder, signal, print, warn }: Call): Promise<number> {
  const file = resolve(folder, args.at(0) ?? '');
  const dataDir = await ownDataFolder(env);
  const written = await writeBackup(dataDir, file, signal);
  print(`${file} has ${written.files} files of ${dataDir}, ${sizeText(written.bytes)}.`);
  warn('It holds passwords, keys and variables: keep it where only you can read it.');
  list(
    warn,
    'These databases are copied as they are, with their -wal, because no snapshot can be taken:',
    written.copied,
  );
  list(warn, LINKS, written.links);
  list(warn, 'These cannot be read, and are not in the file as they are:', written.unread);
  return written.unread.length > 0 ? EXIT.incomplete : EXIT.ok;
}

async function runRestore({ args, env, folder, signal, print, warn }: Call): Promise<number> {
  const dataDir = await ownDataFolder(env);
  const { mark, leftOut } = await restoreBackup(resolve(folder, args.at(0) ?? ''), dataDir, signal);
  print(`${dataDir} has the backup of ${mark.created_at}. The next start builds the applications and starts them.`);
  list(warn, LINKS, leftOut);
  return EXIT.ok;
}

function list(warn: Call['warn'], what: string, names: readonly string[]): void {
  if (names.length > 0) for (const line of [what, ...names.map((name) => `  ${printable(name)}`)]) warn(line);
}
