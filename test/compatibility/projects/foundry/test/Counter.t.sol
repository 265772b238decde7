// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Counter} from "../src/Counter.sol";

/// The cheat codes used here; the forge-std of npm is older than most of them.
interface Vm {
    function prank(address) external;
    function expectRevert(bytes calldata) external;
    function envAddress(string calldata) external view returns (address);
}

abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    bool public constant IS_TEST = true;
}

contract CounterTest is Test {
    Counter private counter;

    function setUp() public {
        counter = new Counter(1);
    }

    function testCounts() public {
        counter.add(41);
        require(counter.count() == 42, "count");
    }

    function testOnlyTheOwnerResets() public {
        vm.prank(address(1));
        vm.expectRevert(abi.encodeWithSelector(Counter.NotOwner.selector, address(1)));
        counter.reset();
    }
}

/// Runs over the state of the node.
contract ForkTest is Test {
    function testDeployedCounter() public {
        Counter deployed = Counter(vm.envAddress("DEPLOYED"));
        uint256 before = deployed.count();
        deployed.add(1);
        require(before == 7 && deployed.count() == 8, "count");
        require(block.chainid == 1337, "chain id");
    }
}
