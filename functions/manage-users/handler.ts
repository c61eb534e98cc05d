import { storedUsers } from '../triggers/login/user-ports.ts';
import { operatorTrigger } from '../triggers/operator.ts';
import { manage } from './manage.ts';

export const handler = operatorTrigger(manage, () => storedUsers().users);
