import {
  BatchGetBuildsCommand,
  type Build,
  ListBuildsForProjectCommand,
  StartBuildCommand,
} from '@aws-sdk/client-codebuild';
import { expect, vi } from 'vitest';
import { type Deployed, type Item, NotNow } from './item.ts';

const MINUTE_MS = 60_000;
/** Younger, an address says nothing: sessions of functions live longer than that in any case. */
const OLD_MS = 30 * MINUTE_MS;
const BUILD_MS = 10 * MINUTE_MS;
const LAMBDA = 'ARM_LAMBDA_CONTAINER';

export const signedAddress: Item = {
  title: 'A signed address lives as long as it says',
  expected: 'it is not refused between 30 and 45 minutes after a function has signed it',
  answer: async (deployed) => {
    const { job } = await lastBuild(deployed);
    const { searchParams: query } = new URL(job);
    const signed = Date.parse(isoOf(query.get('X-Amz-Date') ?? ''));
    const ends = signed + Number(query.get('X-Amz-Expires')) * 1000;
    const age = deployed.now() - signed;
    const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const again = `deploy ${deployed.sample.app}, and run this again half an hour later`;
    if (deployed.now() >= ends) throw new NotNow(`The last address has ended: ${again}.`);
    if (age < OLD_MS) throw new NotNow(`Run this again from ${clock(signed + OLD_MS)} to ${clock(ends)} UTC.`);
    const said = await (await fetch(job)).text();
    // The job was deleted when its build had ended, and who may not list a bucket is not told so. What has expired is
    // refused before: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
    expect(said).toMatch(/<Code>(?:AccessDenied|NoSuchKey)<\/Code>/);
    expect(said).not.toMatch(/expired/i);
    return `it is still valid after ${Math.floor(age / MINUTE_MS)} minutes`;
  },
};

export const machines: Item = {
  title: 'Two builds share a machine, but not those of two applications',
  expected: 'a build finds nothing in `/tmp` of one of another project; of its own project it may',
  answer: async (deployed) => {
    await lastBuild(deployed);
    const trace = `"\${TMPDIR:-/tmp}/trace-${deployed.now()}"`;
    const isClean = async (project: string) => (await ran(deployed, project, `test ! -e ${trace}`)) === 'SUCCEEDED';
    expect(await ran(deployed, deployed.project, `touch ${trace}`)).toBe('SUCCEEDED');
    const sameProject = (await isClean(deployed.project)) ? 'found nothing' : 'found a file of the one before';
    expect(await ran(deployed, deployed.project, `touch ${trace}`)).toBe('SUCCEEDED');
    const other = await isClean(deployed.functionOf(deployed.sample));
    expect(other, 'a build of another project found a file: two applications share a machine').toBe(true);
    return `a second build of one project ${sameProject}, and one of another project found nothing`;
  },
};

export const buildDelay: Item = {
  title: 'A build begins soon',
  expected: 'within 60 seconds on Lambda compute, and 180 in a container',
  answer: async (deployed) => {
    const { startTime, phases = [], environment } = await lastBuild(deployed);
    const begin = phases.find(({ phaseType }) => phaseType === 'BUILD')?.startTime;
    const seconds = (Number(begin) - Number(startTime)) / 1000;
    expect(seconds).toBeLessThanOrEqual(environment?.type === LAMBDA ? 60 : 180);
    return `after ${seconds.toFixed(1)} seconds`;
  },
};

export const variables: Item = {
  title: 'A build opens the variables of its application',
  expected: 'with the credentials that CodeBuild gives it, on Lambda compute too',
  answer: async (deployed) => {
    const { buildStatus } = await lastBuild(deployed);
    expect(buildStatus, 'the build has not seen the variable CHECKLIST').toBe('SUCCEEDED');
    return 'its command has seen one';
  },
};

/** Returns the newest build of a deploy of the sample. */
async function lastBuild(deployed: Deployed): Promise<Build & { readonly job: string }> {
  const { codeBuild, functionOf, sample } = deployed;
  const find = async () => {
    // Without a build it has no project.
    const list = new ListBuildsForProjectCommand({ projectName: functionOf(sample) });
    const { ids = [] } = await codeBuild.send(list).catch(() => ({ ids: [] }));
    const { builds = [] } = ids.length > 0 ? await codeBuild.send(new BatchGetBuildsCommand({ ids })) : {};
    const withJob = builds.flatMap((build) => {
      const job = build.environment?.environmentVariables?.find(({ name }) => name === 'JOB_URL')?.value;
      return job === undefined ? [] : [{ ...build, job }];
    });
    return withJob.sort((one, other) => Number(other.startTime) - Number(one.startTime))[0];
  };
  const known = await find();
  if (known) return known;
  await buildSample(deployed);
  const ended = async () => [await find()].find((build) => build?.buildComplete);
  return (await vi.waitUntil(ended, { timeout: BUILD_MS, interval: 500 })) ?? expect.unreachable();
}

/** Has the sample, which is live without a build, be built once. */
async function buildSample({ url, user, secret, sample }: Deployed): Promise<void> {
  const call = async (method: string, path: string, body: object) => {
    const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const address = `${url}/1/apps/${user}/${sample.app}/${path}`;
    const { ok, status } = await fetch(address, { method, headers, body: JSON.stringify(body) });
    if (!ok) throw new Error(`${method} ${path} was answered with ${status}.`);
  };
  await call('PUT', 'env/CHECKLIST?restart=false', { value: 'of a build' });
  await call('PATCH', 'settings', { build: 'test "$CHECKLIST" = "of a build"' });
  await call('POST', 'redeploy', {});
}

/** Runs one command as a build; returns the status in which it ended. */
async function ran({ codeBuild }: Deployed, projectName: string, command: string): Promise<string> {
  const buildspecOverride = JSON.stringify({ version: '0.2', phases: { build: { commands: [command] } } });
  const { build: { id = '' } = {} } = await codeBuild.send(new StartBuildCommand({ projectName, buildspecOverride }));
  const ended = async () => {
    const { builds: [build] = [] } = await codeBuild.send(new BatchGetBuildsCommand({ ids: [id] }));
    return build?.buildComplete ? (build.buildStatus ?? '') : '';
  };
  return vi.waitUntil(ended, { timeout: BUILD_MS, interval: 500 });
}

/** Returns `20261126T180000Z` as a time of ISO 8601. */
function isoOf(text: string): string {
  return text.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5');
}
