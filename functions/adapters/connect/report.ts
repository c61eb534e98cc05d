import type { ReportPorts } from '../../report-status/report.ts';
import { connectHosts } from './hosts.ts';
import { connectReader } from './reader.ts';
import { connectTokens } from './tokens.ts';

/** What reporting commit statuses needs. */
export function connectReport(): ReportPorts {
  const { host } = connectHosts();
  return { ...connectTokens(), log: connectReader(), host };
}
