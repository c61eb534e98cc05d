import { type DiskUse, diskUseOf, freeDisk } from '../../local/disk/disk.ts';
import { printableJson } from '../../terminal/printable.ts';
import { type CommandDefinition, EXIT, JSON_OPTION } from '../command.ts';
import { ownDataFolder } from '../service/data-folder.ts';
import { thisMachine } from '../service/find-service.ts';
import { columns, sizeText } from '../text.ts';

export const disk: CommandDefinition = {
  name: 'disk',
  summary: 'Show what the service on this machine uses of the disk, and free caches and old releases',
  details: `The service keeps caches below a limit ("cacheMegabytes" in config.json), and three releases of an application.
--free removes all caches, and all releases but the live one and the one before it, also while the service runs: the next builds
take longer, and a rollback to an earlier deploy builds again.`,
  options: [{ flags: '--free', about: 'remove caches and old releases' }, JSON_OPTION],
  examples: [
    ['hooks disk', 'of the service in .local, or in DATA_DIR'],
    ['hooks disk --free', 'then what is left'],
  ],
  run: async ({ args, env, print, warn }) => {
    const dataDir = await ownDataFolder(env);
    const before = await diskUseOf(dataDir);
    if (args.flag('free')) await freeDisk(dataDir, (await thisMachine(env)) !== null);
    const use = args.flag('free') ? await diskUseOf(dataDir) : before;
    if (args.flag('json')) print(printableJson(use));
    else for (const line of columns(rowsOf(use, dataDir))) print(line);
    if (args.flag('free')) warn(`Freed: ${sizeText(Math.max(0, before.total - use.total))}.`);
    return EXIT.ok;
  },
};

function rowsOf({ kinds, total, free, cacheLimit }: DiskUse, dataDir: string): readonly string[][] {
  const row = (name: string, bytes: number, about = '') => [name, sizeText(bytes).padStart(12), about];
  return [
    row('database', kinds.database),
    row('repositories', kinds.repositories),
    row('sources', kinds.sources, 'the last ten deploys of each application'),
    row(
      'releases',
      kinds.releases,
      'the live one of each application and the two before it, with the Node they run on',
    ),
    row('caches', kinds.caches, `at most ${sizeText(cacheLimit)}`),
    row('logs', kinds.logs),
    row('data', kinds.data, 'DATA_DIR of the applications'),
    row('other', kinds.other, 'programs, the reserve for a full disk'),
    row('total', total, `${dataDir}, with ${sizeText(free)} free`),
  ];
}
