import type { Status } from '../../../core/entry/entry.ts';
import { stages } from '../../../core/pipeline/pipeline.ts';
import type { Schema } from '../types.ts';
import { count, object, ref, text, textOrNull, time, timeOrNull } from './build.ts';

/** The meaning of each status; the compiler checks that none is missing. */
export const statuses: Readonly<Record<Status, string>> = {
  queued: 'accepted, and waits for its first stage',
  running: 'is being deployed',
  held: 'waits for CI',
  ok: 'was deployed',
  crashed: 'was deployed and does not stay up; `ok` again when it answers again',
  error: 'failed: see `error`',
  expired: 'has waited for CI in vain',
  skipped: 'needed no deploy: see `reason`',
  duplicate: 'the same delivery again',
  superseded: 'a newer commit was faster',
  cancelled: 'was ended by its user',
};

const row: Readonly<Record<string, Schema>> = {
  id: { type: 'string', format: 'uri', description: 'The address of the entry.' },
  app_name: { type: ['string', 'null'], description: 'From package.json; null until it is known.' },
  uuid: { type: 'string', description: 'The `x-api-uuid` of the request that made the entry.' },
  status: ref('Status'),
  expires_at: { ...time, description: 'When a held deploy expires unless it is released; absent for all others.' },
  provider: {
    type: 'string',
    description:
      'Who called: `github`, `gitlab`, `travis`, …; `manual` for what was asked for by hand, `reconciled` for a missed push.',
  },
  operation: {
    type: 'string',
    enum: ['rollback', 'restart', 'stop', 'remove'],
    description: 'What was done with the application; absent for a deploy.',
  },
  commit: { type: ['string', 'null'], description: '`<owner>/<repository>/<commit>`.' },
  seq: { ...count, description: "The number of the entry's last change, per user, from 1 and without gaps." },
  reason: { type: ['string', 'null'], description: 'One sentence for every status that has something to explain.' },
  url: { type: ['string', 'null'], description: 'Where the application answers; null until it does.' },
};

const details: Readonly<Record<string, Schema>> = {
  user: text,
  repository: { oneOf: [ref('Repository'), { type: 'null' }] },
  branch: textOrNull,
  path: { type: ['string', 'null'], description: 'The folder of the application in the repository; null: its root.' },
  ref: textOrNull,
  message: { type: ['string', 'null'], description: "The first line of the commit's message." },
  author: textOrNull,
  delivery: { type: ['string', 'null'], description: "The sender's own id of the call." },
  received_at: time,
  updated_at: time,
  finished_at: timeOrNull,
  error: { oneOf: [ref('EntryError'), { type: 'null' }] },
  stages: { type: 'array', items: ref('StageRecord') },
  snapshot: textOrNull,
  log_tail: {
    type: 'array',
    description: 'The last lines that a failed application printed, secrets masked.',
    items: text,
  },
};

const repository = { host: text, owner: text, name: text } as const;

/** The schemas of an entry of the log and of its parts. */
export const entrySchemas: Readonly<Record<string, Schema>> = {
  Status: {
    type: 'string',
    description: Object.entries(statuses)
      .map(([status, meaning]) => `\`${status}\`: ${meaning}`)
      .join('; '),
    enum: Object.keys(statuses),
  },
  Entry: object('An entry of the log.', { ...row, error: ref('EntryError'), doc: ref('EntryDocument') }, [
    'expires_at',
    'operation',
    'error',
    'doc',
  ]),
  EntryDocument: object('Everything about an entry: with `include_docs`.', { ...row, ...details }, [
    'expires_at',
    'operation',
  ]),
  EntryError: object('Why a deploy failed.', { code: ref('ErrorCode'), status: { type: 'integer' }, detail: text }),
  StageRecord: object('A stage of a deploy.', {
    name: { type: 'string', enum: stages.map(({ name }) => name) },
    status: { type: 'string', enum: ['running', 'done', 'failed'] },
    started_at: time,
    finished_at: timeOrNull,
    attempts: {
      type: 'integer',
      minimum: 0,
      description: 'Failed tries and the current one; 0 while an event is waited for.',
    },
    detail: textOrNull,
  }),
  Repository: object('A repository, as its sender described it.', {
    ...repository,
    url: textOrNull,
    private: { type: 'boolean' },
  }),
  RepositoryRef: object('A repository; `path` is the folder of the application in it.', { ...repository, path: text }, [
    'path',
  ]),
};
