//! Events that a field or a list keeps, and that are recorded again there.

use super::common::alone;
use super::order::held_copy;
use super::{fail, hold, inside, nothing_fails};
use ascendcl::Error;
use ascendcl_macros::proves;

#[proves(STREAM_04, EVENT_09)]
#[test]
fn an_event_that_is_recorded_again_moves_and_covers_nothing_when_that_failed_halfway() {
    let alone = alone();
    inside(|current| {
        let [one, two, three] = [(); 3].map(|()| current.stream().unwrap());
        let go = hold(current, &one);
        let (first, mut event) = held_copy(current, &one);
        let [(second, _), (third, _)] = [(); 2].map(|()| held_copy(current, &one));
        let second = three.adopt_after(current, second, &event).unwrap_err();
        assert!(matches!(second.error, Error::NotCovered), "{}", second.error);
        // A refused record leaves the event where it was.
        fail("aclrtRecordEvent#1=107000");
        assert!(two.record_again(current, &mut event).is_err());
        nothing_fails();
        let first = three.adopt_after(current, first, &event).unwrap();
        one.record_again(current, &mut event).unwrap();
        let second = three.adopt_after(current, second.value, &event).unwrap();
        // The library says that it failed, and has moved the event to a point that is reached at once.
        fail("aclrtRecordEvent#1=after:507899");
        assert!(two.record_again(current, &mut event).is_err());
        nothing_fails();
        let third = three.adopt_after(current, third, &event).unwrap_err();
        assert!(matches!(third.error, Error::NotCovered), "{}", third.error);
        assert!(!first.is_complete(current).unwrap() && !second.is_complete(current).unwrap());
        go.send(()).unwrap();
        for copy in [first, second, third.value] {
            assert_eq!(*copy.wait(current).unwrap(), [7; 64]);
        }
    });
    alone.assert_nothing_lives();
}
