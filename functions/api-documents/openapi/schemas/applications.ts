import type { Schema } from '../types.ts';
import { count, list, object, ref, text, textOrNull } from './build.ts';

export const applicationSchemas: Readonly<Record<string, Schema>> = {
  Applications: object('A page of the applications of the user, sorted by name.', {
    total: count,
    skip: count,
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    apps: list('Application'),
  }),
  Application: object('An application.', {
    name: { type: 'string', description: 'The name in package.json.' },
    app: { type: 'string', description: 'The name on the platform.' },
    repository: {
      description: 'Of the deploy that it runs; before the first, that which it belongs to.',
      oneOf: [ref('RepositoryRef'), ref('Repository'), { type: 'null' }],
    },
    branch: textOrNull,
    state: { type: 'string', enum: ['running', 'stopped', 'crashed', 'never'] },
    url: { type: ['string', 'null'], description: 'Where it answers.' },
    active: { description: 'The entry whose deploy it runs.', oneOf: [ref('Entry'), { type: 'null' }] },
    rollback: { type: 'array', description: 'What it can be rolled back to, newest first.', items: ref('Entry') },
  }),
  Compared: {
    description: 'What comparing an application with the tip of its branch has found.',
    oneOf: [
      ref('Entry'),
      object('Why there is no entry.', {
        app_name: text,
        branch: text,
        tip: { type: ['string', 'null'], description: 'The commit at the tip; null when there is no such branch.' },
        reason: text,
      }),
    ],
  },
  Variables: object('The environment variables of an application.', {
    env: {
      type: 'object',
      description: 'The values by name; null without `values=true`.',
      additionalProperties: textOrNull,
    },
  }),
  VariableChange: object('A variable that was set or removed.', {
    name: text,
    restart: { description: 'The entry of the restart.', oneOf: [ref('Entry'), { type: 'null' }] },
  }),
  VariableValue: {
    description: 'The value of a variable.',
    oneOf: [{ type: 'string' }, { type: 'object', properties: { value: text }, required: ['value'] }],
  },
};
