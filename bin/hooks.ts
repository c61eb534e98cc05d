import { hooks } from '../lib/cli/hooks.ts';
import { processContext } from '../lib/cli/program/process-context.ts';

process.exitCode = await hooks(process.argv.slice(2), processContext());
