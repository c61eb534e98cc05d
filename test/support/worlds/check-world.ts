import { ciConfigsOf } from '../../../functions/adapters/senders/ci-config/ci-configs.ts';
import { senders } from '../../../functions/adapters/senders/registry.ts';
import type { Entry } from '../../../functions/core/entry/entry.ts';
import type { CheckResult } from '../../../functions/core/hold/checks.ts';
import type { CommitRef } from '../../../functions/core/payload/delivery.ts';
import { runStage } from '../../../functions/core/pipeline/stage.ts';
import type { AppendRequest } from '../../../functions/core/ports/log.ts';
import { check } from '../../../functions/stage-check/check.ts';
import type { CheckPorts } from '../../../functions/stage-check/ports.ts';
import { memoryClock, memoryIds } from '../../fakes/clock.ts';
import { memoryLog } from '../../fakes/deploy-log.ts';
import { memoryQueue } from '../../fakes/job-queue.ts';
import { type MemoryCommit, memoryHost } from '../../fakes/repository-host.ts';
import { AT, append, type Patch, SECOND } from '../entries.ts';

const travis = { provider: 'travis', check: 'Travis CI' };
export const passed: CheckResult = { ...travis, outcome: 'passed', state: 'Passed' };
export const failed: CheckResult = { ...travis, outcome: 'failed', state: 'Failed' };
export const waitsForTravis = { '.travis.yml': 'notifications:\n  webhooks: https://hooks.example.com/\n' };
export const manifest = JSON.stringify({ name: 'shop', version: '1.2.3' });

/** A repository, a log and the stage `check` on both. */
export function checkWorld() {
  const clock = memoryClock(AT);
  const ids = memoryIds();
  const log = memoryLog(ids);
  const queue = memoryQueue();
  const host = memoryHost();
  const asked: string[] = [];
  const ports = {
    log,
    facts: log,
    appFacts: log,
    tracked: log,
    settings: log.settings,
    platform: 'embedded' as const,
    reader: log,
    queue,
    clock,
    ids,
    host: () => host,
    token: async (user: string, name: string) => {
      asked.push(`${user} ${name}`);
      return null;
    },
    ciConfigs: ciConfigsOf(senders),
    holdMinutes: 60,
    previewDays: 14,
    trace: () => {},
  };
  const read = async (number: number): Promise<Entry> => {
    const entry = await log.read('ann', number);
    if (!entry) throw new Error(`There is no entry ${number}.`);
    return entry;
  };
  const run = (number: number, more: Partial<CheckPorts> = {}) => {
    const context = { log, queue, clock, ids, retryBaseSeconds: 30, trace: () => {} };
    return runStage({ user: 'ann', number }, { ...context, stage: 'check', work: check({ ...ports, ...more }) });
  };
  return {
    ...ports,
    /** Runs a function just before an entry that is held changes for the first time. */
    beforeMoving: (number: number, happen: () => Promise<unknown>) => {
      const { move } = log;
      log.move = async (...args) => {
        if (args[1] === number) {
          log.move = move;
          await happen();
        }
        return move.apply(log, args);
      };
    },
    host,
    ids,
    asked,
    read,
    /** Pushes a commit to the repository; `files` replace the ones that deploy without waiting for CI. */
    commit: (
      parent: CommitRef | null,
      files: MemoryCommit['files'] = { 'package.json': manifest },
      branch = 'master',
    ) => {
      const commit = host.commit({ owner: 'ann', name: 'shop', files, ...(parent && { parent }) });
      host.branch(commit, branch);
      return commit;
    },
    /** The call of a push. */
    push: (commit: CommitRef, patch: Patch = {}) => append(log, { sha: commit.sha, ...patch }, { isTip: true }),
    /** A CI provider's call that settles a commit; a passed one asks for a deploy. */
    build: ({ sha }: CommitRef, outcome: CheckResult, patch: Patch = {}, more: Partial<AppendRequest> = {}) =>
      append(
        log,
        {
          sha,
          ref: null,
          kind: 'build',
          provider: 'travis',
          status: outcome.outcome === 'passed' ? 'queued' : 'skipped',
          ...patch,
        },
        { isNewestPush: false, checkResult: outcome, ...more },
      ),
    /** Runs the stage for an entry and for the held push that it releases; returns the entry afterwards. */
    check: async (number: number, more: Partial<CheckPorts> = {}) => {
      const result = await run(number, more);
      // What a host has said may have been out of date.
      if (!result.done && result.visibleInSeconds > 0 && result.visibleInSeconds <= 10) {
        clock.pass(10 * SECOND);
        await run(number, more);
      }
      const released = queue.sent.findIndex(({ stage }) => stage === 'check');
      for (const job of released === -1 ? [] : queue.sent.splice(released, 1)) await run(job.number);
      return read(number);
    },
    /** Runs the stage for an entry only; returns the entry afterwards. */
    checkOnly: async (number: number) => {
      await run(number);
      return read(number);
    },
    /** Ends an entry that has passed the check. */
    finish: (number: number, status: 'ok' | 'error') =>
      log.move('ann', number, () => ({ changes: { status, finishedAt: AT } })),
  };
}
