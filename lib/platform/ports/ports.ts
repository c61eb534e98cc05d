import type { PlatformPorts } from '../../../functions/core/ports/applications.ts';
import { applications, operations, passwords, variables } from './applications.ts';
import { appDomains } from './domains.ts';
import { hosting } from './hosting.ts';
import { appOutput, buildOutput } from './output.ts';
import type { PortParts } from './parts.ts';
import { processes, runs } from './processes.ts';
import { portCalls, shownLog, shownSentence } from './refusals.ts';

/** Returns what the service calls. */
export function platformPorts(parts: PortParts): Required<PlatformPorts> {
  const calls = portCalls(parts);
  return {
    hosting: hosting(parts, calls),
    applications: applications(parts, calls),
    operations: operations(parts, calls),
    variables: variables(parts, calls),
    passwords: passwords(parts, calls),
    processes: processes(parts, calls),
    runs: runs(parts, calls),
    domains: appDomains(parts, calls),
    output: appOutput(parts, calls),
    builds: buildOutput(parts, calls),
    events: {
      after: async (seq) => {
        const { events, last } = await parts.events.after(seq);
        const shown = events.map(({ reason, log, ...event }) => ({
          ...event,
          reason: reason && shownSentence(reason),
          log: [...shownLog(log)],
        }));
        return { events: shown, last };
      },
    },
  };
}
