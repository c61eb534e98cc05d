import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Isolation } from '../../../../lib/process/sandbox.ts';
import { trySandbox } from '../../../../lib/process/sandbox-trial.ts';
import { newFolder } from '../../../support/new-folder.ts';
import {
  appFiles,
  build,
  deploy,
  logsOf,
  platform,
  refusalOf,
  serverFile,
  until,
} from '../../../support/platform/harness.ts';

const trial = await trySandbox();

/** The other tests of the runner know processes by the ids that these tell of themselves, and run without isolation. */
describe.runIf('command' in trial)('an isolated application', () => {
  const isolated = (options: Omit<Parameters<typeof platform>[0], 'dataDir'> = {}) => {
    const hidden = newFolder('runner');
    const isolation = { ...(trial as Omit<Isolation, 'hidden'>), hidden };
    return platform({ ...options, dataDir: join(hidden, 'platform'), isolation });
  };

  it('starts again after a kill, although its file names the process that was killed', async () => {
    const at = await isolated({ limits: { crashPauseMs: 20, keepMs: 50 } });
    const lock = `const fs = require('node:fs'); const file = process.env.DATA_DIR + '/app.pid';
      const lives = (pid) => { try { process.kill(pid, 0); return true; } catch { return false; } };
      if (fs.existsSync(file) && lives(Number(fs.readFileSync(file)))) { console.log('another instance'); process.exit(1); }
      fs.writeFileSync(file, String(process.pid));`;
    const server = serverFile('up').replace('=> s.end', "=> q.url === '/kill' ? process.kill(process.pid, 9) : s.end");
    const app = await deploy(at, 'hello', '1', appFiles('hello', lock + server));
    for (let kills = 1; kills <= 2; kills += 1) {
      await fetch(`${app.url}/kill`).catch(() => undefined);
      await until('it was killed', async () => (await logsOf(at)).split('was ended by SIGKILL').length > kills);
      await until('it answers again', async () => (await fetch(String(app.url))).ok);
    }
    expect(await logsOf(at)).not.toMatch(/another instance|^\S* (?:Killed|sh:)/m);
  });

  it('has cron', async () => {
    const at = await isolated();
    const cron = [{ command: 'node -e "console.log(process.env.DATA_DIR)"', schedule: '* * * * * *' }];
    await deploy(at, 'hello', '1', { ...appFiles('hello', serverFile('up')), 'app.json': JSON.stringify({ cron }) });
    const log = () => logsOf(at, { lines: 1000, process: '@cron' });
    const line = `@cron.1: ${join(at.dataDir, 'apps/ada/hello/data')}`;
    await until('its output', async () => (await log()).includes(line));
  });

  it('has a limit of memory, which its files in /dev/shm count for', async () => {
    const at = await isolated({ limits: { memoryCheckMs: 50 }, memoryLimits: { ada: 100 } });
    // A process of Node has about 50 MB.
    const fill = "require('node:fs').writeFileSync('/dev/shm/x', Buffer.alloc(1e6)); let left = 60;";
    const more =
      "setInterval(() => left-- > 0 && require('node:fs').appendFileSync('/dev/shm/x', Buffer.alloc(1e6)), 5);";
    const failed = await refusalOf(deploy(at, 'hello', '1', appFiles('hello', `${fill} ${more}`)));
    expect(failed.error).toBe('The application used more than 100 MB of memory, its limit, before it answered.');
  });

  it('has a limit of memory, which what has left it with its variables counts for', async () => {
    const at = await isolated({ limits: { memoryCheckMs: 50 }, memoryLimits: { ada: 150 } });
    const words = [
      '-i',
      'PATH=/usr/bin:/bin',
      'setsid',
      '--fork',
      'sh',
      '-c',
      'head -c 250000000 /dev/zero | tail -c 250000000 | sleep 60',
    ];
    const child = `require('node:child_process').spawn('env', ${JSON.stringify(words)});`;
    const failed = await refusalOf(
      deploy(at, 'hello', '1', appFiles('hello', `setTimeout(() => {}, 60000); ${child}`)),
    );
    expect(failed.error).toBe('The application used more than 150 MB of memory, its limit, before it answered.');
  });

  it.each([
    ['files in /dev/shm', "require('node:fs').writeFileSync('/dev/shm/x', Buffer.alloc(60e6));"],
    [
      'what has left it with its variables',
      "require('node:child_process').spawn('env', ['-i', 'setsid', '--fork', process.execPath, 'all.js']);",
    ],
  ])('is built with a limit of memory, which %s counts for', async (_, more) => {
    const at = await isolated({ limits: { memoryCheckMs: 50, buildMemoryMb: 100 }, memoryLimits: { ada: 50 } });
    const files = {
      ...appFiles('hello', serverFile('up')),
      'all.js': 'const all = Buffer.alloc(150e6, 1); setInterval(() => all.fill(2), 1000);',
      'release.js': `${more} setTimeout(() => {}, 60000);`,
      Procfile: 'web: node server.js\nrelease: node release.js',
    };
    const { reason } = await build(at, 'hello', '1', files);
    expect(reason).toMatch(
      /^The release command of the Procfile used more than 100 MB of memory, the limit of a build/,
    );
  });
});
