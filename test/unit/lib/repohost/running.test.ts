import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { announce, findRunning, webhookSecret } from '../../../../lib/repohost/running.ts';
import { newFolder } from '../../../support/new-folder.ts';

const url = 'http://127.0.0.1:1';
const hook = { url: `${url}/1/deploy`, user: 'demo', secret: 'first' };

describe('The file that names the running host', () => {
  let folder: string;
  beforeEach(async () => {
    folder = newFolder('running');
  });

  it.each(['ann', 'constructor', 'prototype'])('has the secret of an owner called %s', async (owner) => {
    const file = join(folder, 'running.json');
    await announce(file, { url, webhook: { ...hook, owners: { [owner]: 'second' } } });
    const { webhook = hook } = (await findRunning(file)) ?? {};
    expect([owner, 'demo', 'nobody'].map((name) => webhookSecret(webhook, name))).toEqual(['second', 'first', null]);
  });
});
