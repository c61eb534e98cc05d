import { tableUsers } from '../adapters/platform/in-table/accounts/users.ts';
import { connectTable } from '../adapters/platform/in-table/connect-table.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { operatorTrigger } from '../triggers/operator.ts';
import { manage } from './manage.ts';

// Fails where the service uses another platform, which has its own users.
export const handler = operatorTrigger(manage, () => tableUsers({ table: connectTable(), clock: systemClock }));
