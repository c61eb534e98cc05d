import { appDomainsContract } from '../../contracts/app-domains.ts';
import { appPasswordsContract, type PasswordsUnderTest } from '../../contracts/app-passwords.ts';
import { appProcessesContract, type ProcessesUnderTest } from '../../contracts/app-processes.ts';
import { applicationsContract } from '../../contracts/applications.ts';
import { type Behaviour, hostingPlatformContract } from '../../contracts/hosting-platform.ts';
import {
  memoryAppDomains,
  memoryApplications,
  memoryAppOperations,
  memoryAppOutput,
  memoryAppPasswords,
  memoryAppProcesses,
  memoryAppRuns,
  memoryAppVariables,
} from '../../fakes/applications.ts';
import { memoryPlatform } from '../../fakes/hosting-platform.ts';

const works = (bytes: Buffer): Behaviour => JSON.parse(bytes.toString()).works;

async function inMemory(): Promise<PasswordsUnderTest & ProcessesUnderTest> {
  const platform = memoryPlatform({
    slowPolls: () => 2,
    build: (bytes) =>
      works(bytes) === 'cannot be built' ? { reason: 'The installation failed.', log: ['no compiler here'] } : null,
    start: (bytes) =>
      works(bytes) === 'does not start' ? { reason: 'The application ended.', log: ['no database here'] } : null,
  });
  return {
    platform,
    applications: memoryApplications(platform),
    operations: memoryAppOperations(platform),
    output: memoryAppOutput(platform),
    variables: memoryAppVariables(platform),
    passwords: memoryAppPasswords(platform),
    domains: memoryAppDomains(platform),
    processes: memoryAppProcesses(platform),
    runs: memoryAppRuns(platform),
    talking: ['echo', 'hello'],
    user: 'kiwi',
    tarball: async (app, version, how) => Buffer.from(JSON.stringify({ app, version, works: how })),
    version: async (ref) => {
      const app = platform.app(ref);
      return JSON.parse(app?.snapshots[app.serving ?? '']?.bytes.toString() ?? '{}').version;
    },
    close: async () => {},
  };
}

hostingPlatformContract('the platform in memory', inMemory);
applicationsContract('the platform in memory', inMemory);
appDomainsContract('the platform in memory', inMemory);
appPasswordsContract('the platform in memory', inMemory);
appProcessesContract('the platform in memory', inMemory);
