import { join } from 'node:path';
import { expect, it } from 'vitest';
import { appLog } from '../../../../lib/runner/logs/app-log.ts';
import { newFolder } from '../../../support/new-folder.ts';

it('the lines of a log are read from its file as they were, of whichever process', async () => {
  const path = join(newFolder('log'), 'app.log');
  const log = appLog(path, 10_000);
  log.note('1 serves');
  for (const name of ['worker.1', 'run.2', '@cron.1', 'with_line-and-dash.12'])
    log.of(name).note(`said by ${name}: yes`);
  log.note('');
  await log.flush();
  const lines = await log.tail(100);
  expect(lines).toHaveLength(6);
  expect(await appLog(path, 10_000).tail(100)).toEqual(lines);
});
