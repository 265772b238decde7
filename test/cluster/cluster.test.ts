// Networks in processes of their own, some at a time beside each other; the longest begin first.
// scenarioCampaign.ts runs those that are left out here. One of them alone: bun test ./test/cluster/scenarios/faults.ts
import './scenarios/restarts.ts'
import './scenarios/faults.ts'
import './scenarios/transitions.ts'
import './scenarios/contract.ts'
import './scenarios/devp2p.ts'
import './scenarios/membership.ts'
import './scenarios/metrics.ts'
import './scenarios/network.ts'
import './scenarios/nodeFiles.ts'
import './scenarios/peers.ts'
import './scenarios/sameKey.ts'
