// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Script} from "forge-std/Script.sol";
import {Counter} from "../src/Counter.sol";

contract Deploy is Script {
    function run() public {
        vm.startBroadcast();
        Counter counter = new Counter(5);
        counter.add(2);
        vm.stopBroadcast();
    }
}
