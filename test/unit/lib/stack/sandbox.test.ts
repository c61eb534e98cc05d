import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { listen } from '../../../../lib/http/ports.ts';
import { firstBill, pollers } from '../../../sandbox/checklist/bill.ts';
import { buildPrice } from '../../../sandbox/checklist/builds.ts';
import { creation } from '../../../sandbox/checklist/creation.ts';
import type { Deployed, Item } from '../../../sandbox/checklist/item.ts';
import { costOfIdleDay, priceOfBuildSecond } from '../../../sandbox/expected-cost.ts';
import { type Usage, usageOn } from '../../../sandbox/usage.ts';

const used = (service: string, type: string, quantity: number, dollars = 0): Usage => ({
  ...{ service, type },
  ...{ quantity, dollars },
});
const MINUTE_MS = 60_000;
const environmentVariables = [{ name: 'JOB_URL', value: 'https://bucket/job' }];
const environment = { type: 'ARM_LAMBDA_CONTAINER', environmentVariables };

/** The answer of an item about a stack of 24 November 2026, or its error. */
function outcome({ answer }: Item, usage: readonly Usage[], more: Partial<Deployed> = {}) {
  const created = Date.parse('2026-11-24T10:00:00Z');
  const days: string[] = [];
  const deployed: Partial<Deployed> = {
    ...{ created, begun: created - 5 * MINUTE_MS, now: () => Date.parse('2026-11-26T09:00:00Z') },
    ...{ functionOf: () => 'app', sample: { user: 'ann', app: 'hello' } },
    codeBuild: { send: async () => ({ ids: ['a'], builds: [{ environment }] }) } as unknown as Deployed['codeBuild'],
    usage: async (day) => {
      days.push(day);
      return usage;
    },
    ...more,
  };
  return answer(deployed as Deployed)
    .catch(({ name, message }: Error) => `${name}: ${message}`)
    .then((said) => [said, ...days].join(' of '));
}

const SQS = 'Amazon Simple Queue Service';

describe('What is asked of a stack that has stood for a day', () => {
  it.each([pollers, buildPrice, firstBill])('$title: not before the bill of a whole day', async (item) => {
    const now = () => Date.parse('2026-11-25T23:00:00Z');
    expect(await outcome(item, [], { now })).toBe('NotNow: Run this again from 2026-11-26 on, while the stack stands.');
  });

  it('the pollers are those of one of the two numbers that are predicted', async () => {
    const requests = (quantity: number) => [used(SQS, 'USE1-Requests-FIFO-Tier1', quantity), used(SQS, 'Data', 1e9)];
    expect(await outcome(pollers, requests(27 * 4320))).toBe('27.0 pollers; predicted: 12 or 27 of 2026-11-25');
    expect(await outcome(pollers, requests(12 * 4320))).toContain('12.0 pollers');
    expect(await outcome(pollers, requests(40 * 4320))).toMatch(/^Error: 40\.0 pollers.*, which is not between/);
    expect(await outcome(pollers, requests(0))).toMatch(/^Error: 0\.0 pollers/);
  });

  it('a second of a build costs what is predicted, whatever its unit', async () => {
    const price = priceOfBuildSecond();
    const built = (type: string, quantity: number, dollars: number) => [used('AWS CodeBuild', type, quantity, dollars)];
    expect(await outcome(buildPrice, built('USE1-Build-Sec:Lambda', 600, 600 * price))).toMatch(/^0\.000040 dollars/);
    expect(await outcome(buildPrice, built('USE1-Build-Min:Lambda', 10, 600 * price))).toMatch(/^0\.000040 dollars/);
    expect(await outcome(buildPrice, built('USE1-Build-Sec:Lambda', 600, 1800 * price))).toMatch(/^Error: 0\.000120/);
    expect(await outcome(buildPrice, [])).toMatch(/^NotNow: Nothing was built/);
  });

  it('a day costs what is predicted, and each part is told', async () => {
    const idle = costOfIdleDay();
    expect(await outcome(firstBill, [used('AWS KMS', 'Keys', 1, idle), used('AWS Lambda', 'Runs', 1, 0)])).toBe(
      `${idle.toFixed(3)} dollars (AWS KMS, Keys: ${idle.toFixed(4)}); predicted without deploys: ${idle.toFixed(3)} of 2026-11-25`,
    );
    expect(await outcome(firstBill, [used('Amazon RDS', 'Hours', 24, 2)])).toMatch(/^Error: 2\.000 dollars/);
    expect(await outcome(firstBill, [])).toMatch(/^Error: 0\.000 dollars/);
  });

  it('the time of its creation is that of its own events', async () => {
    expect(await outcome(creation, [])).toBe('in 5.0 minutes');
    expect(await outcome(creation, [], { begun: 0 })).toMatch(/which is not between 0 and 15\.$/);
    expect(await outcome(creation, [], { begun: Number.NaN })).toMatch(/^Error: in NaN minutes/);
  });
});

it('Cost Explorer is asked for a day by service and type of use, page after page', async () => {
  const asked: unknown[] = [];
  const metric = (Amount: string) => ({ Amount, Unit: 'N/A' });
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { NextPageToken?: string };
    asked.push(body, request.headers['x-amz-target'], String(request.headers.authorization).split(/[ /]/)[4]);
    const Metrics = { UnblendedCost: metric('0.25'), UsageQuantity: metric('3') };
    const groups = [{ Keys: ['AWS CodeBuild', body.NextPageToken ?? 'first'], Metrics }];
    const more = body.NextPageToken === undefined ? { NextPageToken: 'second' } : {};
    response.end(JSON.stringify({ ResultsByTime: [{ Groups: groups }], ...more }));
  });
  const port = await listen(server, 0);
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const usage = await usageOn('2026-11-30', credentials, `http://127.0.0.1:${port}`);
  server.close();
  expect(usage).toEqual(['first', 'second'].map((type) => used('AWS CodeBuild', type, 3, 0.25)));
  expect(asked.slice(0, 3)).toEqual([
    expect.objectContaining({ TimePeriod: { Start: '2026-11-30', End: '2026-12-01' }, Granularity: 'DAILY' }),
    'AWSInsightsIndexService.GetCostAndUsage',
    'ce',
  ]);
});
