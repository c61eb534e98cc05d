import type { Job, StageJob } from '../../functions/core/pipeline/job.ts';
import type { JobQueue } from '../../functions/core/ports/stages.ts';

/** Returns an in-memory fake of the queues; `sent` and `reports` hold what was sent, in order, and can be emptied. */
export function memoryQueue(): JobQueue & { readonly sent: StageJob[]; readonly reports: Job[] } {
  const sent: StageJob[] = [];
  const reports: Job[] = [];
  return {
    sent,
    reports,
    send: async (job) => void sent.push(job),
    report: async ({ user, number }) => void reports.push({ user, number }),
  };
}
