// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Who makes blocks, as QBFT's contract mode asks for it; the list stands in slot 0, so that a genesis file can fill it.
contract Validators {
    address[] public validators;

    function getValidators() external view returns (address[] memory) {
        return validators;
    }

    function activate(address validator) external {
        require(indexOf(validator) == validators.length, "already active");
        validators.push(validator);
    }

    function deactivate(address validator) external {
        uint256 index = indexOf(validator);
        require(index < validators.length, "not active");
        require(validators.length > 1, "the last one stays");
        validators[index] = validators[validators.length - 1];
        validators.pop();
    }

    function indexOf(address validator) private view returns (uint256 index) {
        while (index < validators.length && validators[index] != validator) index++;
    }
}
