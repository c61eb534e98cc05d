import type { Accounts, ApiTokens } from '../../core/ports/accounts.ts';
import type { AppEvents, Applications, AppOutput, AppVariables } from '../../core/ports/applications.ts';
import type { AppHealth, AppOperations, BuildOutput, HostingPlatform } from '../../core/ports/platform.ts';
import type { Clock } from '../../core/ports/system.ts';
import { type PlatformKind, platformKind, platformUrl } from '../aws/platform/kind.ts';
import { platformAccess, serviceTokenWhenNeeded } from '../aws/platform/secret.ts';
import type { LambdaPlatformParts } from './aws-lambda/parts.ts';
import type { PlatformTable } from './in-table/table.ts';

/**
 * The platforms: what implements each port on each of them. An adapter is imported when its platform is the configured
 * one, and each port has a function of its own, so that the code of a function has only the adapters that it uses.
 */
export function connectHosting(clock: Clock): Promise<HostingPlatform> {
  return ofConfigured({
    http: async () => (await import('./http/hosting.ts')).httpPlatform(await platformAccess()),
    'aws-lambda': async () => (await import('./aws-lambda/hosting.ts')).lambdaPlatform(await lambdaParts(clock)),
  });
}

export function connectOperations(clock: Clock): Promise<AppOperations> {
  return ofConfigured({
    http: async () => (await import('./http/app-operations.ts')).httpAppOperations(await platformAccess()),
    'aws-lambda': async () =>
      (await import('./aws-lambda/run/operations.ts')).lambdaAppOperations(await lambdaParts(clock)),
  });
}

export function connectOutput(clock: Clock): Promise<AppOutput> {
  return ofConfigured({
    http: async () => (await import('./http/app-output.ts')).httpAppOutput(await platformAccess()),
    'aws-lambda': async () =>
      (await import('./aws-lambda/run/app-output.ts')).lambdaAppOutput(await lambdaParts(clock)),
  });
}

export function connectBuildOutput(clock: Clock): Promise<BuildOutput> {
  return ofConfigured({
    http: async () => (await import('./http/build-output.ts')).httpBuildOutput(await platformAccess()),
    'aws-lambda': async () =>
      (await import('./aws-lambda/build/build-output.ts')).lambdaBuildOutput(await lambdaParts(clock)),
  });
}

export function connectVariables(clock: Clock): Promise<AppVariables> {
  return ofConfigured({
    http: async () => (await import('./http/app-variables.ts')).httpAppVariables(await platformAccess()),
    'aws-lambda': async () =>
      (await import('./aws-lambda/run/app-variables.ts')).lambdaAppVariables(await lambdaParts(clock)),
  });
}

/** A platform of the platform API tells of crashes by its events, and need not be asked. */
export function connectHealth(clock: Clock): Promise<AppHealth> {
  return ofConfigured({
    http: async () => ({ ended: async () => {}, recheck: async () => {} }),
    'aws-lambda': async () =>
      (await import('./aws-lambda/run/app-health.ts')).lambdaAppHealth(await lambdaParts(clock)),
  });
}

export function connectEvents(): Promise<AppEvents> {
  return ofConfigured({
    http: async () => (await import('./http/app-events.ts')).httpAppEvents(await platformAccess()),
    'aws-lambda': async () => (await import('./in-table/app-events.ts')).tableAppEvents(await table()),
  });
}

export function connectApplications(): Promise<Applications> {
  return ofConfigured({
    http: async () => (await import('./http/applications.ts')).httpApplications(await platformAccess()),
    'aws-lambda': async () => (await import('./in-table/applications.ts')).tableApplications({ table: await table() }),
  });
}

/** Returns the accounts, to check logins. */
export function connectLogin(): Promise<Pick<Accounts, 'authenticate'>> {
  return ofConfigured({
    http: async () => (await import('./http/login.ts')).httpLogin({ url: platformUrl() }),
    'aws-lambda': tableAccounts,
  });
}

/** Returns the accounts, also to read and update them. */
export function connectAccounts(): Promise<Accounts> {
  return ofConfigured({
    // A request is answered faster when it does not wait for the secret at a cold start.
    http: async () =>
      (await import('./http/accounts.ts')).httpAccounts({ url: platformUrl(), ...serviceTokenWhenNeeded() }),
    'aws-lambda': tableAccounts,
  });
}

export function connectApiTokens(clock: Clock): Promise<ApiTokens> {
  return ofConfigured({
    http: async () => (await import('./http/api-tokens.ts')).httpApiTokens({ url: platformUrl() }),
    'aws-lambda': async () =>
      (await import('./in-table/accounts/api-tokens.ts')).tableApiTokens({ table: await table(), clock }),
  });
}

async function ofConfigured<Adapter>(adapters: Readonly<Record<PlatformKind, () => Promise<Adapter>>>) {
  return adapters[platformKind()]();
}

async function lambdaParts(clock: Clock): Promise<LambdaPlatformParts> {
  return (await import('./aws-lambda/connect-parts.ts')).connectParts(clock);
}

async function tableAccounts(): Promise<Accounts> {
  return (await import('./in-table/accounts/accounts.ts')).tableAccounts({ table: await table() });
}

async function table(): Promise<PlatformTable> {
  return (await import('./in-table/connect-table.ts')).connectTable();
}
