import type { CodeDescription } from './code.ts';

/** The settings of a version of a function; they never change, except for `$LATEST`. */
export interface FunctionSettings {
  readonly role: string;
  readonly runtime: string;
  readonly handler: string;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly architecture: string;
  readonly layers: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly logGroup: string;
  readonly code: CodeDescription;
}

/** A state of a function. */
export interface Revision {
  readonly settings: FunctionSettings;
  readonly revisionId: string;
  readonly lastModified: string;
  /** Epoch milliseconds until which Lambda is still working on it. */
  readonly busyUntil: number;
  /** Whether it is being created, or only changed. */
  readonly isNew: boolean;
}

/** A statement of the policy of a function. */
export interface Statement {
  readonly id: string;
  readonly qualifier?: string | undefined;
  readonly action: string;
  readonly principal: string;
  readonly urlAuthType?: string | undefined;
  readonly viaUrl?: boolean | undefined;
}

interface Alias {
  readonly version: string;
  readonly description: string;
  readonly revisionId: string;
}

/** A function as Lambda keeps it. */
export interface FunctionRecord {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly latest: Revision;
  readonly versions: Readonly<Record<string, Revision>>;
  /** Numbers are not given twice, even after their version was deleted. */
  readonly lastVersion: number;
  readonly aliases: Readonly<Record<string, Alias>>;
  /** By qualifier. */
  readonly urls: Readonly<Record<string, { readonly port: number; readonly createdAt: string }>>;
  readonly statements: readonly Statement[];
  readonly reservedConcurrency?: number | undefined;
}
