import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { jobOf } from '../../../functions/core/pipeline/job.ts';
import { overrulingContract } from '../../contracts/overruled.ts';
import { pipelineContract } from '../../contracts/pipeline.ts';
import { consumedUnits } from '../../support/consumed-units.ts';
import { createLogTables, emulatedDatabase } from '../../support/dynamodb-table.ts';
import { AT, append, MINUTE } from '../../support/entries.ts';
import { DEPLOY } from '../../support/template/costs.ts';
import { dynamoDbRoles } from '../../support/worlds/dynamodb-roles.ts';
import { pipelineWorld } from '../../support/worlds/pipeline-world.ts';

describe('the pipeline on the log in DynamoDB', () => {
  const database = emulatedDatabase(createLogTables);

  const roles = (client = database()) => dynamoDbRoles(client);

  // What calls, previews and hosts that are away decide is the same code on both logs: `deploy-log` holds the log to what it
  // asks, and the histories take both ways through all of it.
  pipelineContract(() => roles(), 4);
  overrulingContract(() => roles());

  it('a deploy takes as many units of the database as its costs are computed from', async () => {
    const client = database();
    const world = pipelineWorld(roles(client));
    const { log, user, host, queue } = world;
    const scripts = { start: 'node server.js', build: 'vite build' };
    const manifest = { name: 'shop-frontend', version: '2.4.1', scripts, dependencies: { express: '^5.1.0' } };
    const name = { owner: 'ann-and-company', name: 'shop-frontend' };
    const { sha } = host.commit({ ...name, files: { 'package.json': JSON.stringify(manifest) } });
    const repository = { host: 'memory', ...name, url: 'https://git.example.com/shop-frontend', private: false };
    const message = 'Show the price with tax in the list of articles (#1234)';
    const delivery = '72d3162e-cc78-11e3-81ab-4c9367dc0958';
    // 12 kB as of GitHub, half of which are addresses that compress well.
    const payload = Buffer.from(`{"ids":"${randomBytes(2000).toString('hex')}","urls":"${'x'.repeat(8000)}"}`);

    const units = consumedUnits(client);
    const times = { receivedAt: AT, updatedAt: AT };
    const draft = { user, sha, repository, message, delivery, ...times };
    await queue.send(
      jobOf(await append(log, draft, { payload, deliveryKey: `github/${delivery}`, isTip: true, dueAt: AT + MINUTE })),
    );
    await world.drain();
    await world.report();
    expect(await log.read(user, 1)).toMatchObject({ status: 'ok', appName: 'shop-frontend' });
    expect(units.writes).toBe(DEPLOY.writeUnits);
    expect(units.reads).toBeLessThanOrEqual(DEPLOY.readUnits);
  });
});
