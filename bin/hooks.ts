import { hooks } from '../lib/cli/commands.ts';
import { processContext } from '../lib/cli/program/process-context.ts';

// The SDK's warning about the Node version does not apply: on AWS the functions run on a newer one.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

process.exitCode = await hooks(process.argv.slice(2), processContext());
