//! The member who disabled an object, and the time.

use super::ShownTime;
use service::audit::ActionByMember;

pub struct DisabledBy {
    pub member: String,
    pub at: ShownTime,
}

impl From<ActionByMember> for DisabledBy {
    fn from(ActionByMember { member, at }: ActionByMember) -> Self {
        let member = member.unwrap_or_else(|| "a former member".to_owned());
        Self { member, at: ShownTime::exact(at) }
    }
}
